//! One line of `/proc/<pid>/stat`. Source: proc_pid_stat(5).

use std::fs::File;
use std::io::{self, Read as _};

/// The line has 52 numbers and a name of at most 15 bytes; the kernel gives it in one read.
const MAX_LINE_BYTES: usize = 2_048;

/// What we need to know of a process, as of one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcStat {
    /// `R`, `S`, `D`, `T`, `Z`, …
    pub state: u8,
    /// Its parent.
    pub parent: i32,
    /// Its process group.
    pub group: i32,
    /// Its session.
    pub session: i32,
    /// How many threads it has; none once it has ended.
    pub threads: u32,
    /// Clock ticks from boot to its start: with the pid, its identity.
    pub start_ticks: u64,
}

impl ProcStat {
    /// Looks at one process.
    ///
    /// # Errors
    /// `NotFound` when there is none; `InvalidData` when the kernel's line has another shape.
    pub fn of(pid: i32) -> io::Result<Self> {
        let mut line = [0; MAX_LINE_BYTES];
        let length = File::open(format!("/proc/{pid}/stat"))?.read(&mut line)?;
        Self::parse(&line[..length])
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "unknown shape of /proc/pid/stat"))
    }

    /// The same, with `None` for a process that is not there. An error says nothing about it: no descriptor or memory was left.
    pub(super) fn find(pid: i32) -> io::Result<Option<Self>> {
        match Self::of(pid) {
            Ok(stat) => Ok(Some(stat)),
            Err(e) if is_gone(&e) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// The name in parentheses may hold anything, parentheses and blanks too; the numbers follow its last one.
    fn parse(line: &[u8]) -> Option<Self> {
        let after_name = memchr::memrchr(b')', line)? + 1;
        let text = std::str::from_utf8(line.get(after_name..)?).ok()?;
        let mut fields = text.split_ascii_whitespace();
        let state = *fields.next()?.as_bytes().first()?;
        let mut number = || fields.next()?.parse().ok();
        let (parent, group, session) = (number()?, number()?, number()?);
        // state is field 3, session field 6, num_threads field 20, starttime field 22.
        let threads = fields.nth(13)?.parse().ok()?;
        let start_ticks = fields.nth(1)?.parse().ok()?;
        Some(Self { state, parent, group, session, threads, start_ticks })
    }
}

/// Whether a file of `/proc/<pid>` was refused because there is no such process: none at the opening, or none any more at
/// the reading.
pub(super) fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH)
}

/// Every process of the machine.
///
/// # Errors
/// When some could not be listed.
pub(super) fn all_pids() -> io::Result<Vec<i32>> {
    let mut pids = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        pids.extend(entry?.file_name().to_str().and_then(|name| name.parse::<i32>().ok()));
    }
    Ok(pids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_process_name_does_not_shift_the_numbers() {
        let line = b"42 (a) R 1 2 (b) S 7 42 40 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876 0 0";
        let stat = ProcStat::parse(line).unwrap();
        let expected = ProcStat { state: b'S', parent: 7, group: 42, session: 40, threads: 1, start_ticks: 9876 };
        assert_eq!(stat, expected);
    }

    #[test]
    fn this_process_is_running_and_has_its_parent() {
        let stat = ProcStat::of(i32::try_from(std::process::id()).unwrap()).unwrap();
        assert_eq!(stat.parent, rustix::process::getppid().unwrap().as_raw_nonzero().get());
        assert!(stat.start_ticks > 0);
    }
}
