//! What a command prints is in its file, byte for byte, up to the cap, and whatever happens to the file.

use foreman_core::limits::CAP_MARKER;
use foreman_core::outcome::{EndReason, Exit};

use crate::support::{is_root, script, skip};

/// What `probe flood` prints.
fn flood(bytes: usize) -> Vec<u8> {
    (0..251).cycle().take(bytes).collect()
}

// faults: invalid-bytes-crash
#[test]
fn bytes_that_are_no_text_are_changed() {
    let outcome = script("printf 'ok\\xff\\xfe\\0end'; \"$PROBE\" flood 1000000").background().outcome();
    let expected = [&b"ok\xff\xfe\0end"[..], &flood(1_000_000)].concat();
    assert!(outcome.log == expected, "{} of {} bytes", outcome.log.len(), expected.len());
    assert_eq!(outcome.total_bytes, 1_000_008);
    let window = outcome.answer.snapshot.stdout;
    assert_eq!(window.head, expected[..64 * 1024]);
    assert_eq!(window.tail, expected[expected.len() - 64 * 1024..]);
    assert_eq!(window.total_lines, expected.iter().filter(|b| **b == b'\n').count() as u64);
}

#[test]
fn a_fast_writer_loses_a_block() {
    for foreground in [true, false] {
        let mut launch = script("\"$PROBE\" flood 20000000");
        launch.spec.foreground = foreground;
        let outcome = launch.outcome();
        assert!(outcome.log == flood(20_000_000), "{}", outcome.log.len());
        assert_eq!(outcome.capture_error, None);
    }
}

// faults: pipe-loses-node-child-tail
#[test]
fn the_last_words_of_a_process_that_exits_at_once_are_lost() {
    for _ in 0..20 {
        let outcome = script("exec \"$PROBE\" write-then-exit 204800 0").outcome();
        assert_eq!((outcome.log.len(), outcome.exit), (204_800, Exit::Code(0)));
    }
}

#[test]
fn a_single_long_line_is_cut() {
    let outcome = script("\"$PROBE\" long-line 30000000").outcome();
    assert_eq!((outcome.log.len(), outcome.answer.snapshot.stdout.total_lines), (30_000_001, 1));
}

// faults: log-fills-disk
#[test]
fn the_cap_kills_or_blocks_the_command_or_is_passed() {
    let outcome = script("\"$PROBE\" flood 5000000; echo rc=$? >&2").cap_bytes(1_000_000).outcome();
    assert_eq!((outcome.stderr().as_str(), outcome.exit), ("rc=0\n", Exit::Code(0)));
    let expected = [&flood(1_000_000), CAP_MARKER].concat();
    assert!(outcome.log == expected, "{} bytes", outcome.log.len());
    assert_eq!((outcome.total_bytes, outcome.capture_error), (5_000_005, None));
}

#[test]
fn a_file_that_is_filled_to_the_byte_is_called_truncated() {
    let outcome = script("\"$PROBE\" flood 1000000").cap_bytes(1_000_000).outcome();
    assert!(outcome.log == flood(1_000_000), "{} bytes", outcome.log.len());
}

// faults: log-feeds-itself
#[test]
fn a_command_that_reads_its_own_log_fills_the_disk() {
    let launch = script("\"$PROBE\" flood 30000; exec tail -c +1 -f base/session/tasks/*.output")
        .background()
        .cap_bytes(100_000);
    let mut run = launch.start();
    let (path, _, _) = run.started();
    let full = 100_000 + CAP_MARKER.len();
    run.log_until(&path, |log| log.len() >= full);
    run.stop();
    assert_eq!(run.outcome().log.len(), full);
}

#[test]
fn a_command_that_truncates_its_standard_output_empties_the_log() {
    let outcome = script("echo one; echo two > /dev/stdout; echo three >> /dev/stdout").background().outcome();
    assert_eq!(outcome.log_text(), "one\ntwo\nthree\n");
}

// faults: log-lags
#[test]
fn a_line_is_in_the_log_only_at_the_end() {
    let mut run = script(
        "exec 9>\"$WITNESS\"; mkfifo go1 go2 go3; for i in 1 2 3; do echo $i; echo ready >&9; read -r _ < go$i; done",
    )
    .background()
    .start();
    let (path, _, _) = run.started();
    for (i, expected) in [(1, "1\n"), (2, "1\n2\n"), (3, "1\n2\n3\n")] {
        run.witness.expect_line("ready");
        run.log_until(&path, |log| log == expected.as_bytes());
        std::fs::write(format!("{}/go{i}", run.spec.cwd), "go\n").unwrap();
    }
    assert_eq!(run.outcome().reason, EndReason::Natural);
}

#[test]
fn the_file_does_not_exist_when_its_name_is_told() {
    for _ in 0..10 {
        let mut run = script("sleep 1000").start();
        let (path, _, _) = run.started();
        assert_eq!(std::fs::read(&path).unwrap(), b"");
        assert_eq!(path, format!("{}/session/tasks/{}.output", run.spec.output_base, run.spec.id));
        run.stop();
        run.outcome();
    }
}

// faults: log-world-readable
#[test]
fn other_users_can_read_the_log() {
    use std::os::unix::fs::PermissionsExt as _;
    let outcome = script("umask 0; echo secret").background().outcome();
    let mode = |path: &str| std::fs::metadata(outcome.folder.path().join(path)).unwrap().permissions().mode() & 0o777;
    for folder in ["base", "base/session", "base/session/tasks", "base/journal", "base/shell"] {
        assert_eq!(mode(folder), 0o700, "{folder}");
    }
    let name = std::fs::read_dir(outcome.folder.path().join("base/session/tasks")).unwrap().next().unwrap().unwrap();
    assert_eq!(name.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

// faults: log-write-error-crashes-host, empty-output-on-capture-fault
#[test]
fn a_full_disk_hangs_the_command_or_is_hidden() {
    if !is_root() {
        return skip("only root can make a small file system");
    }
    let launch = script("\"$PROBE\" flood 5000000; echo END >&2");
    let mount = SmallDisk::mount(launch.folder.path().join("small"));
    let Some(mount) = mount else { return skip("no file system can be mounted here") };
    let outcome = launch.output_base(format!("{}/base", mount.0.display())).outcome();
    assert_eq!((outcome.exit, outcome.stderr().as_str()), (Exit::Code(0), "END\n"));
    assert_eq!(outcome.total_bytes, 5_000_004);
    let error = outcome.capture_error.unwrap();
    assert_eq!(error.code, "ENOSPC");
    assert!(error.path.starts_with(mount.0.to_str().unwrap()), "{}", error.path);
    assert_eq!(error.bytes_lost + outcome.log.len() as u64, outcome.total_bytes);
    assert!(outcome.log[..500_000] == flood(500_000));
}

/// A file system of one megabyte; unmounted when it is dropped.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn mount(at: std::path::PathBuf) -> Option<Self> {
        std::fs::create_dir(&at).unwrap();
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m", "foreman-test"])
            .arg(&at)
            .output()
            .is_ok_and(|output| output.status.success());
        mounted.then_some(Self(at))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("--lazy").arg(&self.0).output();
    }
}

#[test]
fn a_file_that_may_not_grow_ends_the_command() {
    // The limit is the supervisor's, which inherits it from a host that lowers it for itself.
    let (spec, folder, _witness) = script("\"$PROBE\" flood 300000; echo END >&2").into_parts();
    let plan = crate::support::HostPlan { runs: vec![spec], ..Default::default() };
    let mut host = crate::support::HelperHost::start(plan, |command| {
        use std::os::unix::process::CommandExt as _;
        // SAFETY: a system call on a value, between fork and exec of a test's own child.
        unsafe {
            command.pre_exec(|| {
                let limit = rustix::process::Rlimit { current: Some(100_000), maximum: Some(100_000) };
                Ok(rustix::process::setrlimit(rustix::process::Resource::Fsize, limit)?)
            });
        }
    });
    let (exit, error, snapshot) = host.wait_for(|word| match word {
        crate::support::Word::Event(
            _,
            foreman_core::frame::Event::ShellExited { exit, capture_error, snapshot, .. },
        ) => Some((exit, capture_error, snapshot)),
        _ => None,
    });
    assert_eq!((exit, snapshot.stderr.head.as_slice()), (Exit::Code(0), &b"END\n"[..]));
    let error = error.unwrap();
    assert_eq!((error.code.as_str(), error.bytes_lost), ("EFBIG", 200_004));
    drop(folder);
}

// faults: tmpdir-ignored
#[test]
fn a_folder_that_was_removed_hides_what_was_lost() {
    let outcome = script("echo one; rm -rf base; echo two").outcome();
    assert_eq!((outcome.stdout().as_str(), outcome.exit), ("one\ntwo\n", Exit::Code(0)));
    let error = outcome.answer.capture_error.unwrap();
    assert_eq!((error.code.as_str(), error.bytes_lost), ("ENOENT", 8));
}

#[test]
fn the_supervisor_grows_with_the_output() {
    // Counting lines without optimisation is slow; what would grow has grown by then.
    let bytes: u64 = if cfg!(debug_assertions) { 128 << 20 } else { 1 << 30 };
    let mut run =
        script(format!("mkfifo go; exec 9>\"$WITNESS\"; \"$PROBE\" flood {bytes}; echo ready >&9; read -r _ < go"))
            .background()
            .cap_bytes(1_000_000)
            .start();
    let (_, supervisor, _) = run.started();
    run.witness.expect_line("ready");
    let status = std::fs::read_to_string(format!("/proc/{supervisor}/status")).unwrap();
    let kib = |name: &str| -> u64 {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
    };
    // Pages of the program itself are shared by all supervisors, and there are more of them without optimisation.
    let own = kib("RssAnon:");
    assert!(own <= 3 * 1024, "{own} KiB of its own; {status}");
    std::fs::write(format!("{}/go", run.spec.cwd), "go\n").unwrap();
    assert_eq!(run.outcome().total_bytes, bytes);
}
