//! The environment a shell starts with: the host's, made safe against waiting for a person, plus what the caller adds.

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

/// The environment of one run, sorted by name.
///
/// `caller` is laid over everything else but the run's mark; `None` removes a name.
pub fn build(
    host: impl IntoIterator<Item = (String, String)>,
    caller: &[(String, Option<String>)],
    run_id: &str,
) -> Vec<(String, String)> {
    let mut env: std::collections::BTreeMap<String, String> = host.into_iter().collect();
    for asker in ASKERS {
        env.remove(*asker);
    }
    for (name, value) in NOBODY_IS_THERE {
        env.insert((*name).into(), (*value).into());
    }
    for (name, value) in caller {
        match value {
            Some(value) => env.insert(name.clone(), value.clone()),
            None => env.remove(name),
        };
    }
    env.insert(RUN_MARK.into(), run_id.into());
    env.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value<'a>(env: &'a [(String, String)], name: &str) -> Option<&'a str> {
        env.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    #[test]
    fn an_editor_of_the_host_never_opens() {
        let env = build([("EDITOR".to_owned(), "vim".to_owned())], &[], "r1");
        assert_eq!(value(&env, "EDITOR"), Some("false"));
        assert_eq!(value(&env, "GIT_TERMINAL_PROMPT"), Some("0"));
    }

    #[test]
    fn an_askpass_window_of_the_host_never_opens() {
        let env = build([("SSH_ASKPASS".to_owned(), "/usr/bin/ksshaskpass".to_owned())], &[], "r1");
        assert_eq!(value(&env, "SSH_ASKPASS"), None);
    }

    #[test]
    fn the_caller_overrides_and_removes() {
        let caller = [("PAGER".to_owned(), Some("less".to_owned())), ("HOME".to_owned(), None)];
        let env = build([("HOME".to_owned(), "/root".to_owned())], &caller, "r1");
        assert_eq!(value(&env, "PAGER"), Some("less"));
        assert_eq!(value(&env, "HOME"), None);
    }

    #[test]
    fn nobody_can_take_the_mark_away() {
        let env = build([], &[(RUN_MARK.to_owned(), None)], "r1");
        assert_eq!(value(&env, RUN_MARK), Some("r1"));
    }
}
