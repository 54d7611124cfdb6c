//! The environment a shell starts with: the host's, made safe against waiting for a person, plus what the caller adds.

use std::collections::BTreeMap;

/// Marks every process of a run.
pub const RUN_MARK: &str = "PI_FOREMAN_RUN";

/// What would otherwise wait for a person, and what makes it fail or go on at once.
///
/// Editors fail rather than do nothing: with a no-op editor `git rebase -i` succeeds with a list that nobody edited.
/// An empty `GIT_ASKPASS` switches every other askpass setting of git off.
const NOBODY_IS_THERE: &[(&str, &str)] = &[
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
];

/// Helpers that ask in a window; without them the programs that would call them fail with a message.
const ASKERS: &[&str] = &["SSH_ASKPASS", "SUDO_ASKPASS"];

/// When two names are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Unix: `Path` and `PATH` are two variables.
    CaseSensitive,
    /// Windows: they are one, and which of two entries a program finds would be chance.
    CaseInsensitive,
}

impl Names {
    /// The rule of this system.
    pub const fn of_this_system() -> Self {
        if cfg!(windows) { Self::CaseInsensitive } else { Self::CaseSensitive }
    }

    /// What is equal for names that are one. Windows folds and sorts by capital letters.
    fn key(self, name: &str) -> String {
        match self {
            Self::CaseSensitive => name.to_owned(),
            Self::CaseInsensitive => name.to_uppercase(),
        }
    }
}

/// The environment of one run, sorted by name.
///
/// `caller` is laid over everything else but the run's mark; `None` removes a name. A name that is there already keeps its
/// spelling. Entries of the host that no program can ask for (`=C:`, by which cmd.exe remembers folders) are left out.
pub fn build(
    names: Names,
    host: impl IntoIterator<Item = (String, String)>,
    caller: &[(String, Option<String>)],
    run_id: &str,
) -> Vec<(String, String)> {
    let mut env: BTreeMap<String, (String, String)> = BTreeMap::new();
    let mut set = |name: &str, value: Option<&str>| {
        let key = names.key(name);
        match value {
            Some(value) => env.entry(key).or_insert_with(|| (name.to_owned(), String::new())).1 = value.to_owned(),
            None => drop(env.remove(&key)),
        }
    };
    for (name, value) in host {
        if !name.contains('=') {
            set(&name, Some(&value));
        }
    }
    for asker in ASKERS {
        set(asker, None);
    }
    for (name, value) in NOBODY_IS_THERE {
        set(name, Some(value));
    }
    for (name, value) in caller {
        set(name, value.as_deref());
    }
    set(RUN_MARK, Some(run_id));
    env.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value<'a>(env: &'a [(String, String)], name: &str) -> Option<&'a str> {
        env.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    #[test]
    fn an_editor_of_the_host_never_opens() {
        let env = build(Names::CaseSensitive, [("EDITOR".to_owned(), "vim".to_owned())], &[], "r1");
        assert_eq!(value(&env, "EDITOR"), Some("false"));
        assert_eq!(value(&env, "GIT_TERMINAL_PROMPT"), Some("0"));
    }

    #[test]
    fn an_askpass_window_of_the_host_never_opens() {
        let env =
            build(Names::CaseSensitive, [("SSH_ASKPASS".to_owned(), "/usr/bin/ksshaskpass".to_owned())], &[], "r1");
        assert_eq!(value(&env, "SSH_ASKPASS"), None);
    }

    #[test]
    fn the_caller_overrides_and_removes() {
        let caller = [("PAGER".to_owned(), Some("less".to_owned())), ("HOME".to_owned(), None)];
        let env = build(Names::CaseSensitive, [("HOME".to_owned(), "/root".to_owned())], &caller, "r1");
        assert_eq!(value(&env, "PAGER"), Some("less"));
        assert_eq!(value(&env, "HOME"), None);
    }

    #[test]
    fn a_path_of_the_caller_stands_beside_the_path_of_the_host() {
        let host = || [("Path".to_owned(), r"C:\old".to_owned()), ("=C:".to_owned(), r"C:\work".to_owned())];
        let caller = [("PATH".to_owned(), Some(r"C:\new".to_owned())), ("pi_foreman_run".to_owned(), Some("x".into()))];
        let env = build(Names::CaseInsensitive, host(), &caller, "r1");
        assert_eq!(value(&env, "Path"), Some(r"C:\new"));
        assert_eq!((value(&env, "PATH"), value(&env, "=C:")), (None, None));
        assert_eq!(env.iter().filter(|(name, _)| name.eq_ignore_ascii_case(RUN_MARK)).count(), 1);
        let removed = build(Names::CaseInsensitive, host(), &[("path".to_owned(), None)], "r1");
        assert_eq!(value(&removed, "Path"), None);
        let unix = build(Names::CaseSensitive, host(), &caller, "r1");
        assert_eq!((value(&unix, "Path"), value(&unix, "PATH")), (Some(r"C:\old"), Some(r"C:\new")));
    }

    #[test]
    fn nobody_can_take_the_mark_away() {
        let env = build(Names::CaseSensitive, [], &[(RUN_MARK.to_owned(), None)], "r1");
        assert_eq!(value(&env, RUN_MARK), Some("r1"));
    }
}
