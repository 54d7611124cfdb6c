//! One thread per run that starts `foreman-shim`, listens to it and collects it.
//!
//! Nothing here touches SIGCHLD, or the wait status of a process that it did not start. `std::process::Command` without
//! hooks uses `posix_spawn`, so the size of the host's memory does not matter.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use super::supervisor::{Supervisor, start_spare};
use crate::containment::ProcessIdentity;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::{self, Event, FrameReader, Request};
use crate::journal;
use crate::limits::{MAX_TIMEOUT, STOPPED_AGAIN_AFTER};
use crate::outcome::{EndReason, Exit, Snapshot};
use crate::spec::Spec;
use crate::threads;

/// How long a supervisor may take to see that the time of its run is over.
const LATE: Duration = Duration::from_millis(200);

/// Sends requests to the supervisor of one run, from any thread, never waiting.
#[derive(Debug, Clone)]
pub struct Control(Arc<Mutex<ControlState>>);

#[derive(Debug)]
enum ControlState {
    /// The supervisor is being started; requests wait for it.
    Starting(Vec<u8>),
    Open {
        pipe: File,
        /// Our child, and not waited for before this is closed: the number is its own.
        supervisor: Pid,
    },
    Closed,
}

impl Control {
    /// Sends a request. False when the run is over, or its supervisor does not take anything.
    pub fn request(&self, request: &Request) -> bool {
        let Ok(frame) = frame::encode(request) else { return false };
        match &mut *self.lock() {
            ControlState::Starting(waiting) => {
                waiting.extend_from_slice(&frame);
                true
            }
            ControlState::Open { pipe, supervisor } => {
                match request {
                    Request::Stop { .. } => self.wake_or_end(*supervisor),
                    Request::Promote | Request::Snapshot { .. } => wake(*supervisor),
                }
                // Shorter than PIPE_BUF, so it is written whole or not at all.
                pipe.write(&frame).is_ok()
            }
            ControlState::Closed => false,
        }
    }

    fn wake_for_timeout(&self) {
        if let ControlState::Open { supervisor, .. } = &*self.lock() {
            self.wake_or_end(*supervisor);
        }
    }

    /// Lets the supervisor act on the end of its run. A command that stops it again and again would have no end: then it
    /// is killed, and what it leaves behind is ended as after every loss of a supervisor.
    fn wake_or_end(&self, supervisor: Pid) {
        let was_stopped = is_stopped(supervisor);
        wake(supervisor);
        if was_stopped {
            let control = self.clone();
            // Without a thread, another request may find one.
            let _ = threads::spawn(Box::new(move || {
                thread::sleep(STOPPED_AGAIN_AFTER);
                if let ControlState::Open { supervisor, .. } = &*control.lock()
                    && is_stopped(*supervisor)
                {
                    let _ = kill_process(*supervisor, Signal::KILL);
                }
            }));
        }
    }

    fn lock(&self) -> MutexGuard<'_, ControlState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, mut pipe: File, supervisor: Pid) -> io::Result<()> {
        loop {
            let mut state = self.lock();
            match &mut *state {
                ControlState::Starting(waiting) if !waiting.is_empty() => {
                    let waiting = std::mem::take(waiting);
                    // The supervisor may not have read its launch frame yet, and requests wait for nobody.
                    drop(state);
                    pipe.write_all(&waiting)?;
                }
                _ => {
                    rustix::fs::fcntl_setfl(&pipe, OFlags::NONBLOCK)?;
                    *state = ControlState::Open { pipe, supervisor };
                    return Ok(());
                }
            }
        }
    }
}

/// Starts a run. Returns at once; everything else comes through `on_event`, on another thread, in the order of the
/// protocol: `Started` or `Failed` first, `Ended` last.
///
/// # Errors
/// `BAD_REQUEST` for a spec that cannot be meant; `SHIM_MISSING` without a path to it; `SPAWN_FAILED` when there can be no more threads.
pub fn launch(spec: Spec, shim: Option<&Path>, on_event: impl FnMut(Event) + Send + 'static) -> Result<Control> {
    spec.validate()?;
    let Some(shim) = shim else {
        return Err(Error::new(ErrorKind::ShimMissing, "the path of foreman-shim was not set"));
    };
    let control = Control(Arc::new(Mutex::new(ControlState::Starting(Vec::new()))));
    let launched_at = Instant::now();
    let mut run = HostRun {
        late_at: spec.timeout_ms.map(|ms| launched_at + Duration::from_millis(ms).min(MAX_TIMEOUT) + LATE),
        spec,
        control: control.clone(),
        on_event,
        started: false,
        shell: None,
        launched_at,
        exited: None,
        output_path: None,
        over: false,
    };
    let shim = shim.to_owned();
    threads::spawn(Box::new(move || run.live(&shim)))
        .map_err(|e| Error::io(ErrorKind::SpawnFailed, "cannot start a thread for the run", e))?;
    Ok(control)
}

struct HostRun<F> {
    spec: Spec,
    control: Control,
    on_event: F,
    started: bool,
    /// Known by more than its number from its start on: after the loss of the supervisor it is too late to look.
    shell: Option<ProcessIdentity>,
    launched_at: Instant,
    /// When its timeout should long have been acted on.
    late_at: Option<Instant>,
    exited: Option<Exit>,
    output_path: Option<String>,
    /// `Failed` or `Ended` was seen.
    over: bool,
}

impl<F: FnMut(Event)> HostRun<F> {
    fn live(&mut self, shim: &Path) {
        let launched = frame::encode_launch(&self.spec).and_then(|frame| Supervisor::launch(shim, &frame));
        match launched {
            Ok(Supervisor { mut child, control, events }) => {
                if self.control.open(control, Pid::from_child(&child)).is_err() {
                    *self.control.lock() = ControlState::Closed;
                }
                self.listen(events);
                *self.control.lock() = ControlState::Closed;
                // It has closed its side, so it has ended or is about to.
                let _ = child.wait();
            }
            Err(e) => self.publish(Event::Failed { kind: e.kind(), message: e.to_string() }),
        }
        if !self.over {
            self.publish_loss();
        }
        *self.control.lock() = ControlState::Closed;
        // Now that nobody waits for this thread.
        start_spare(shim);
    }

    fn listen(&mut self, mut events: File) {
        let mut reader = FrameReader::default();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            self.wake_when_late(&events);
            match events.read(&mut buffer) {
                Ok(0) => return,
                Ok(n) => reader.push(&buffer[..n]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            }
            loop {
                match reader.next_body().and_then(|body| body.map(frame::decode::<Event>).transpose()) {
                    Ok(Some(event)) => self.publish(event),
                    Ok(None) => break,
                    Err(_) => return,
                }
            }
        }
    }

    /// A supervisor that its command has stopped does not see that the time is over.
    fn wake_when_late(&mut self, events: &File) {
        let Some(late_at) = self.late_at else { return };
        if is_silent_until(events, late_at) {
            self.late_at = None;
            self.control.wake_for_timeout();
        }
    }

    fn publish(&mut self, event: Event) {
        match &event {
            Event::Started { output_path, shell_pid, shell_start, .. } => {
                self.started = true;
                self.output_path = Some(output_path.clone());
                self.shell = shell_start.map(|start| ProcessIdentity { pid: *shell_pid, start });
            }
            Event::ShellExited { exit, .. } => self.exited = Some(*exit),
            Event::Failed { .. } | Event::Ended { .. } => {
                self.over = true;
                *self.control.lock() = ControlState::Closed;
            }
            Event::Promoted { .. } | Event::Snapshot(_) | Event::StopResult(_) => {}
        }
        (self.on_event)(event);
    }

    /// The supervisor was killed. The kernel killed the shell with it; what the shell left behind is ended here.
    fn publish_loss(&mut self) {
        // Also when it did not come to telling its start: the first thing a command does may be to kill its parent.
        if journal::sweep_run(&self.spec.id, self.shell) {
            journal::forget(&self.spec.output_base, &self.spec.id);
        }
        if !self.started {
            let message = "the supervisor ended before it told that the command runs; \
                           what it may have started was ended";
            return self.publish(Event::Failed { kind: ErrorKind::SupervisorLost, message: message.to_owned() });
        }
        let reason = EndReason::SupervisorLost;
        let seen = self.exited;
        let exit = seen.unwrap_or(Exit::Signal(9));
        if seen.is_none() {
            self.publish(Event::ShellExited {
                exit,
                reason,
                members_left: false,
                snapshot: Snapshot::default(),
                capture_error: None,
                duration_ms: ms_since(self.launched_at),
            });
        }
        let recorded = self.output_path.as_ref().and_then(|path| std::fs::symlink_metadata(path).ok());
        let total_bytes = recorded.map_or(0, |file| file.len());
        self.publish(Event::Ended {
            exit,
            reason,
            total_bytes,
            capture_error: None,
            duration_ms: ms_since(self.launched_at),
        });
    }
}

/// A command can stop its parent (`kill -STOP $PPID`), and that is the one signal that nobody can block.
fn wake(supervisor: Pid) {
    let _ = kill_process(supervisor, Signal::CONT);
}

fn is_stopped(supervisor: Pid) -> bool {
    ProcessIdentity::of(supervisor.as_raw_pid()).is_some_and(ProcessIdentity::is_stopped)
}

/// Whether nothing has come through a pipe at this time. A signal to the host may reach this thread and end a wait early.
fn is_silent_until(pipe: impl AsFd, until: Instant) -> bool {
    loop {
        let left = Timespec::try_from(until.saturating_duration_since(Instant::now())).ok();
        match poll(&mut [PollFd::new(&pipe, PollFlags::IN)], left.as_ref()) {
            Err(Errno::INTR) => {}
            answer => return answer == Ok(0),
        }
    }
}

fn ms_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::thread::JoinHandleExt as _;

    #[test]
    fn pi_hangs_until_a_busy_supervisor_reads() {
        // More than a pipe takes.
        let control = Control(Arc::new(Mutex::new(ControlState::Starting(vec![0; 1 << 20]))));
        let (mut read, write) = io::pipe().unwrap();
        let write = File::from(std::os::fd::OwnedFd::from(write));
        let (answered, answer) = std::sync::mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| control.open(write, rustix::process::getpid()).unwrap());
            read.read_exact(&mut [0]).unwrap();
            scope.spawn(|| answered.send(control.request(&Request::Promote)).unwrap());
            let answer = answer.recv_timeout(Duration::from_secs(20));
            // Whatever the answer, so that both threads end.
            let frame = frame::encode(&Request::Promote).unwrap();
            let mut rest = vec![0; (1 << 20) - 1 + frame.len()];
            read.read_exact(&mut rest).unwrap();
            assert_eq!(answer, Ok(true));
            assert!(rest.ends_with(&frame));
        });
    }

    #[test]
    fn a_signal_to_pi_makes_it_forget_that_a_command_is_late() {
        // SAFETY: the handler does nothing. Without one the signal would end this program.
        unsafe { signal_hook::low_level::register(libc::SIGUSR2, || {}) }.unwrap();
        let (pipe, _write) = io::pipe().unwrap();
        let until = Instant::now() + Duration::from_millis(100);
        let waiting = thread::spawn(move || is_silent_until(&pipe, until));
        while !waiting.is_finished() {
            // SAFETY: nobody has joined the thread, so its number stays its own.
            unsafe { libc::pthread_kill(waiting.as_pthread_t() as libc::pthread_t, libc::SIGUSR2) };
            thread::yield_now();
        }
        let was_silent = waiting.join().unwrap();
        assert!(was_silent && Instant::now() >= until);
    }
}
