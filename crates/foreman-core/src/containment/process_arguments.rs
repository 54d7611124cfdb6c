//! macOS: what `sysctl` KERN_PROCARGS2 tells of a process: its program, its arguments, its environment. Pure.
//!
//! The shape is: a count (an `int` of the machine); the path of the program; zero bytes up to the next boundary; so many
//! arguments; the environment. Each text ends with a zero byte. The kernel gives programs that are protected by System
//! Integrity Protection without their environment: there everything ends behind the last argument.

/// The parts of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessArguments<'a> {
    /// All arguments with their zero bytes, the name under which it was started first.
    arguments: &'a [u8],
    /// The environment and what the kernel has put behind it.
    environment: &'a [u8],
}

impl<'a> ProcessArguments<'a> {
    /// `None` for an answer of another shape.
    pub(crate) fn parse(answer: &'a [u8]) -> Option<Self> {
        let (count, rest) = answer.split_first_chunk()?;
        let count = i32::from_ne_bytes(*count);
        let path_end = memchr::memchr(0, rest)?;
        let padding = rest[path_end..].iter().take_while(|byte| **byte == 0).count();
        let texts = &rest[path_end + padding..];
        let mut end = 0;
        for _ in 0..count {
            end += memchr::memchr(0, texts.get(end..)?)? + 1;
        }
        let (arguments, environment) = texts.split_at(end);
        Some(Self { arguments, environment })
    }

    /// Whether this entry stands in the environment; `None` when there is no environment to be seen.
    pub(crate) fn has_variable(&self, entry: &[u8]) -> Option<bool> {
        // An empty text ends the environment: the kernel's own words for the loader stand behind it.
        let mut entries = self.environment.split(|byte| *byte == 0).take_while(|text| !text.is_empty()).peekable();
        entries.peek()?;
        Some(entries.any(|text| text == entry))
    }

    /// The arguments with blanks between them, `max_chars` at most.
    pub(crate) fn command_line(&self, max_chars: usize) -> String {
        let line = String::from_utf8_lossy(self.arguments);
        line.trim_end_matches('\0').chars().take(max_chars).map(|c| if c == '\0' { ' ' } else { c }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(count: i32, texts: &[u8]) -> Vec<u8> {
        [&count.to_ne_bytes()[..], texts].concat()
    }

    #[test]
    fn the_mark_of_a_member_is_not_seen() {
        let answer = answer(2, b"/bin/probe\0\0\0\0probe\0wait\0A=1\0PI_FOREMAN_RUN=r1\0\0ptr_munge=\0");
        let parsed = ProcessArguments::parse(&answer).unwrap();
        assert_eq!(parsed.has_variable(b"PI_FOREMAN_RUN=r1"), Some(true));
        assert_eq!(parsed.has_variable(b"PI_FOREMAN_RUN=r"), Some(false));
        assert_eq!(parsed.has_variable(b"PI_FOREMAN_RUN=r11"), Some(false));
        assert_eq!(parsed.command_line(200), "probe wait");
        assert_eq!(parsed.command_line(7), "probe w");
    }

    #[test]
    fn an_argument_is_taken_for_the_mark() {
        let answer = answer(3, b"/usr/bin/env\0env\0PI_FOREMAN_RUN=r1\0\0PATH=/bin\0");
        let parsed = ProcessArguments::parse(&answer).unwrap();
        assert_eq!(parsed.has_variable(b"PI_FOREMAN_RUN=r1"), Some(false));
        assert_eq!(parsed.has_variable(b"PATH=/bin"), Some(true));
    }

    #[test]
    fn a_hidden_environment_is_taken_for_one_without_the_mark() {
        let answer = answer(1, b"/bin/sleep\0sleep\0");
        assert_eq!(ProcessArguments::parse(&answer).unwrap().has_variable(b"PI_FOREMAN_RUN=r1"), None);
    }

    #[test]
    fn an_answer_that_was_cut_off_is_read_past_its_end() {
        let whole = answer(2, b"/bin/probe\0\0probe\0wait\0A=1\0");
        // Whole once the second argument is, which ends six bytes before the end.
        for length in 0..whole.len() - 5 {
            assert_eq!(ProcessArguments::parse(&whole[..length]).map(|p| p.command_line(9)), None, "{length}");
        }
        assert_eq!(ProcessArguments::parse(&answer(i32::MAX, b"a\0b\0")), None);
        assert!(ProcessArguments::parse(&answer(-1, b"a\0b\0")).is_some());
    }
}
