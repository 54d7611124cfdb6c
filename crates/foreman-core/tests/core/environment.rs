//! What a command inherits: an environment that waits for nobody, and no signal or limit of the host's.

use foreman_core::frame::Event;
use foreman_core::outcome::Exit;
use std::os::unix::process::CommandExt as _;

use crate::support::{HelperHost, HostPlan, Word, script};

#[test]
fn a_variable_of_the_host_or_the_caller_gets_lost() {
    // faults: path-snapshot-wrong
    let path = std::env::var("PATH").unwrap();
    assert_eq!(script("echo \"$PATH\"").outcome().stdout(), format!("{path}\n"));
    let custom = format!("/cus tom:{path}");
    assert_eq!(script("echo \"$PATH\"").env("PATH", Some(&custom)).outcome().stdout(), format!("{custom}\n"));
    let hostile = "a\nb'\"$(touch pwned)\\ é";
    let outcome = script("printf %s \"$X\"; ls").env("X", Some(hostile)).outcome();
    assert_eq!(outcome.stdout(), format!("{hostile}base\nwitness\n"));
    assert_eq!(script("echo ${HOME-unset}").env("HOME", None).outcome().stdout(), "unset\n");
}

#[test]
fn a_member_does_not_carry_the_mark_of_its_run() {
    let launch = script("echo $PI_FOREMAN_RUN; env | grep -c ^PI_FOREMAN; sh -c 'echo $PI_FOREMAN_RUN'");
    let id = launch.spec.id.clone();
    assert_eq!(launch.env("PI_FOREMAN_RUN", Some("somebody-else")).outcome().stdout(), format!("{id}\n1\n{id}\n"));
}

#[test]
fn a_variable_of_ours_leaks_into_the_command() {
    let launch = script("env -0 | cut -z -d= -f1 | grep -zvxE '_|SHLVL|PWD' | sort -z | tr '\\0' '\\n'");
    let (spec, _folder, _witness) = launch.into_parts();
    let mut expected: Vec<_> = spec.env.iter().map(|(n, _)| n.clone()).collect();
    expected.retain(|n| !["_", "SHLVL", "PWD"].contains(&n.as_str()));
    expected.sort();
    let outcome = script(spec.script).env("LC_ALL", Some("C")).outcome();
    let mut seen: Vec<_> = outcome.stdout().lines().map(str::to_owned).collect();
    seen.sort();
    seen.retain(|n| n != "LC_ALL");
    expected.retain(|n| n != "LC_ALL");
    assert_eq!(seen, expected);
}

// faults: editor-hang, credential-prompt-hang, fake-sequence-editor-succeeds
#[test]
fn git_waits_for_a_person() {
    let outcome = script(
        "export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b \
         GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
         git init -q r && cd r && for i in 1 2 3; do git commit -q --allow-empty -m $i; done
         before=$(git rev-parse HEAD)
         git commit --allow-empty; echo commit=$?
         git rebase -i HEAD~2; echo rebase=$?
         test $before = $(git rev-parse HEAD) && echo same
         printf 'protocol=https\\nhost=example.invalid\\n\\n' | git credential fill; echo credential=$?
         git log | head -1 | grep -c commit",
    )
    .outcome();
    assert_eq!(outcome.stdout(), "commit=1\nrebase=1\nsame\ncredential=128\n1\n", "{}", outcome.stderr());
    assert!(outcome.stderr().contains("terminal prompts disabled"), "{}", outcome.stderr());
}

#[test]
fn a_signal_that_the_host_ignores_or_blocks_is_ignored_in_the_command() {
    // `grep` is not a shell, so what it shows was handed down by ours untouched.
    let (spec, _folder, _witness) = script("grep -E '^Sig(Blk|Ign)' /proc/self/status").into_parts();
    let mut host = HelperHost::start(HostPlan { runs: vec![spec], ..HostPlan::default() }, |command| {
        // SAFETY: between fork and exec of a test's own child; `signal` and `sigprocmask` are async-signal-safe.
        unsafe {
            command.pre_exec(|| {
                for number in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE, libc::SIGUSR1] {
                    libc::signal(number, libc::SIG_IGN);
                }
                let mut some: libc::sigset_t = std::mem::zeroed();
                libc::sigemptyset(&raw mut some);
                for number in [libc::SIGTERM, libc::SIGCHLD, libc::SIGUSR2, libc::SIGRTMIN() + 3] {
                    libc::sigaddset(&raw mut some, number);
                }
                libc::sigprocmask(libc::SIG_BLOCK, &raw const some, std::ptr::null_mut());
                Ok(())
            });
        }
    });
    let snapshot = host.wait_for(|word| match word {
        Word::Event(_, Event::ShellExited { snapshot, .. }) => Some(snapshot),
        _ => None,
    });
    let text = String::from_utf8_lossy(&snapshot.stdout.head).into_owned();
    let sets: Vec<_> = text.lines().filter_map(|line| u64::from_str_radix(line.split_once('\t')?.1, 16).ok()).collect();
    assert_eq!(sets, [0, 0], "{text}");
}

#[test]
fn the_command_shares_a_session_or_group_with_us() {
    let outcome = script(
        "read -r pid name state ppid group session rest < /proc/self/stat; \
         echo $((pid == $$)) $((group == $$)) $((session == $$)); read -r x < /proc/self/oom_score_adj; echo $x",
    )
    .outcome();
    let ours: i32 = std::fs::read_to_string("/proc/self/oom_score_adj").unwrap().trim_end().parse().unwrap();
    assert_eq!(outcome.stdout(), format!("1 1 1\n{}\n", (ours + 300).min(1_000)));
    assert_eq!(outcome.exit, Exit::Code(0));
}

#[test]
fn an_environment_that_is_too_large_is_reported_as_something_else() {
    let big = "x".repeat(200_000);
    let (kind, message) = script("true").env("BIG", Some(&big)).refusal();
    assert_eq!(kind, foreman_core::ErrorKind::SpawnFailed);
    assert!(message.contains("environment is too large"), "{message}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_gets_the_exact_timers_of_the_supervisor() {
    let ours = std::fs::read_to_string("/proc/self/timerslack_ns").unwrap();
    assert_eq!(script("cat /proc/self/timerslack_ns").outcome().answer.stdout(), ours);
}
