//! A named pipe that only the processes of a run hold open for writing: a line in it says that something is ready, its
//! end says that all of them are gone. Neither needs a clock.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};

use foreman_core::spec::Spec;

use crate::support::FAILURE_BOUND;

/// The reading end.
#[derive(Debug)]
pub(crate) struct Witness {
    pipe: File,
    path: PathBuf,
    unread: Vec<u8>,
    /// Whether anything was ever read. A pipe that nobody has opened yet does not end.
    spoken: bool,
}

impl Witness {
    /// Makes the pipe. Scripts find it as `$WITNESS`; what they open it with is inherited by all that they start.
    pub(crate) fn create(folder: &Path) -> (Self, Option<(&'static str, String)>) {
        let path = folder.join("witness");
        let open_to_all = Mode::from_raw_mode(0o666);
        // Not every Unix has `mkfifoat`.
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        rustix::fs::chmod(&path, open_to_all).unwrap();
        let pipe: OwnedFd =
            rustix::fs::open(&path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).unwrap();
        let named = ("WITNESS", path.display().to_string());
        (Self { pipe: pipe.into(), path, unread: Vec::new(), spoken: false }, Some(named))
    }

    /// Of a run that is said to be over. Only when the script has opened it: nobody ever has it in most tests, and then it does
    /// not end.
    #[track_caller]
    pub(crate) fn expect_over(&mut self, spec: &Spec, _output_path: &str) {
        if spec.script.contains("$WITNESS") {
            self.expect_nobody_now();
        }
    }

    /// Waits for this line; lines before it are passed over.
    #[track_caller]
    pub(crate) fn expect_line(&mut self, wanted: &str) {
        while self.expect_any_line() != wanted {}
    }

    /// Waits for this line as often as that.
    #[track_caller]
    pub(crate) fn expect_lines(&mut self, wanted: &str, times: usize) {
        for _ in 0..times {
            self.expect_line(wanted);
        }
    }

    /// Waits for the next line.
    #[track_caller]
    pub(crate) fn expect_any_line(&mut self) -> String {
        loop {
            if let Some(end) = self.unread.iter().position(|b| *b == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                return String::from_utf8_lossy(&line[..end]).into_owned();
            }
            let more = self.read_within(FAILURE_BOUND);
            assert!(more == Look::More, "no line came ({more:?}); so far: {:?}", String::from_utf8_lossy(&self.unread));
        }
    }

    /// Waits until nobody holds the pipe any more.
    #[track_caller]
    pub(crate) fn expect_all_gone(&mut self) {
        self.expect_end(FAILURE_BOUND, "somebody of the run lives on");
    }

    /// Nobody holds the pipe at this moment.
    #[track_caller]
    pub(crate) fn expect_nobody_now(&mut self) {
        self.expect_end(Duration::ZERO, "a member was alive when the run was said to be over");
    }

    /// Somebody holds the pipe at this moment.
    #[track_caller]
    pub(crate) fn expect_somebody(&mut self) {
        loop {
            match self.read_within(Duration::ZERO) {
                Look::More => {}
                Look::Nothing => return,
                Look::End => panic!("nobody of the run is left"),
            }
        }
    }

    #[track_caller]
    fn expect_end(&mut self, bound: Duration, otherwise: &str) {
        loop {
            match self.read_within(bound) {
                Look::More => {}
                Look::Nothing if bound.is_zero() => {
                    let holders = self.holders();
                    assert!(holders.is_empty(), "{otherwise}: {holders:?}");
                    // Its holder may have been ended before it came to opening it.
                    if !self.spoken {
                        return;
                    }
                    // Who lists /proc/<pid>/fd holds what it looks at for a moment, past the end of that process. It has no
                    // descriptor of its own, as a member would.
                    return self.expect_end(FAILURE_BOUND, otherwise);
                }
                Look::Nothing => panic!("{otherwise}: {:?}", self.holders()),
                Look::End => return,
            }
        }
    }

    /// Pid, state and command line of everybody who has it open for writing; nobody where there is no `/proc`. For reading
    /// we have it open, and for a moment each child of ours that is about to become another program.
    fn holders(&self) -> Vec<String> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter(|entry| entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok()));
        pids.map(|entry| entry.path())
            .filter(|pid| {
                let open = std::fs::read_dir(pid.join("fd")).into_iter().flatten().flatten();
                open.filter(|fd| std::fs::read_link(fd.path()).is_ok_and(|target| target == self.path))
                    .any(|fd| is_for_writing(&pid.join("fdinfo").join(fd.file_name())))
            })
            .map(|pid| {
                let stat = std::fs::read_to_string(pid.join("stat")).unwrap_or_default();
                let line = std::fs::read_to_string(pid.join("cmdline")).unwrap_or_default();
                format!("{}: {}: {}", pid.display(), stat.chars().take(60).collect::<String>(), line.replace('\0', " "))
            })
            .collect()
    }

    fn read_within(&mut self, bound: Duration) -> Look {
        let until = Instant::now() + bound;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
            // Until somebody has opened it for writing, poll does not call it ended.
            if poll(&mut [PollFd::new(&self.pipe, PollFlags::IN)], Some(&timeout)) == Ok(0) {
                return Look::Nothing;
            }
            let mut buffer = [0; 4096];
            match self.pipe.read(&mut buffer) {
                Ok(0) => return Look::End,
                Ok(n) => {
                    self.spoken = true;
                    self.unread.extend_from_slice(&buffer[..n]);
                    return Look::More;
                }
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(e) => panic!("the witness cannot be read: {e}"),
            }
        }
    }
}

/// What the kernel tells of a descriptor has its flags in octal; the last two bits are the way it was opened.
fn is_for_writing(fdinfo: &Path) -> bool {
    let text = std::fs::read_to_string(fdinfo).unwrap_or_default();
    let flags = text.lines().find_map(|line| u32::from_str_radix(line.strip_prefix("flags:")?.trim(), 8).ok());
    flags.is_some_and(|flags| flags & 3 != 0)
}

#[derive(Debug, PartialEq, Eq)]
enum Look {
    More,
    Nothing,
    End,
}
