//! A run on Windows: its job, its shell, and the folder of its script.

use std::io;
use std::os::windows::io::OwnedHandle;
use std::sync::Arc;
use std::time::Duration;

use super::exit_code::exit_of;
use super::job::Job;
use super::machine::{image_of, open_process};
use super::shell_wait::ShellWait;
use crate::containment::Reaped;
use crate::outcome::{SurvivalCause, Survivor};
use crate::poller::completion_port::CompletionPort;
use crate::spawn::ScriptFolder;

/// A process leaves its job a moment before it is seen to have ended.
const MAX_LAST_MOMENT: Duration = Duration::from_secs(1);

/// The members of one run: everything in its job.
#[derive(Debug)]
pub struct Container {
    shell: ShellWait,
    job: Arc<Job>,
    is_msys: bool,
    shell_is_collected: bool,
    /// On the disk until the shell has ended.
    script: Option<ScriptFolder>,
}

impl Container {
    /// Contains the shell, which has to be in the job already. `is_msys` tells how its exit code is read.
    pub(crate) fn new(
        job: Arc<Job>,
        shell: OwnedHandle,
        is_msys: bool,
        script: Option<ScriptFolder>,
        port: Arc<CompletionPort>,
    ) -> io::Result<Self> {
        Ok(Self { shell: ShellWait::new(shell, port)?, job, is_msys, shell_is_collected: false, script })
    }

    /// Looks who has ended. Never waits, but for the last moment of the last member.
    pub fn reap(&mut self) -> Reaped {
        let mut reaped = Reaped::default();
        let is_empty = self.job.active().is_ok_and(|members| members == 0);
        if !self.shell_is_collected {
            let within = if is_empty { MAX_LAST_MOMENT } else { Duration::ZERO };
            reaped.shell = self.shell.exit_code(within).map(|code| exit_of(code, self.is_msys));
            if reaped.shell.is_some() {
                self.shell_is_collected = true;
                self.script = None;
            }
        }
        // Looked at before the shell was: it may have been the last one since.
        reaped.empty = self.shell_is_collected && (is_empty || self.job.active().is_ok_and(|members| members == 0));
        reaped
    }

    /// There is nothing polite that reaches a program without a window and without our console: members are ended.
    pub fn request_end(&self) {
        self.force_end();
    }

    /// As [`Self::request_end`]; the job has no rest.
    pub fn request_end_of_rest(&self) {
        self.force_end();
    }

    /// Ends every member.
    pub fn force_end(&self) {
        self.job.terminate();
    }

    /// As [`Self::force_end`].
    pub fn force_end_of_rest(&self) {
        self.force_end();
    }

    /// Who is there now.
    pub fn survivors(&self) -> Vec<Survivor> {
        let survivor = |pid: u32| {
            let process = open_process(pid);
            let why = cause_of(process.as_ref().err().map(io::Error::kind));
            let command = process.ok().and_then(|process| image_of(&process)).unwrap_or_else(|| "?".into());
            Survivor { pid: pid.cast_signed(), command, why }
        };
        self.job.pids().unwrap_or_default().into_iter().map(survivor).collect()
    }
}

/// Why a member is still there, by why it could not be opened.
const fn cause_of(refusal: Option<io::ErrorKind>) -> SurvivalCause {
    match refusal {
        Some(io::ErrorKind::PermissionDenied) => SurvivalCause::AnotherUser,
        // It has ended since, or nothing speaks against its end.
        _ => SurvivalCause::StillExiting,
    }
}

#[cfg(test)]
mod tests {
    use std::os::windows::io::AsRawHandle as _;
    use std::process::{Child, Command, Stdio};
    use std::ptr;

    use windows_sys::Win32::Foundation::ERROR_SUCCESS;
    use windows_sys::Win32::Security::Authorization::{SE_KERNEL_OBJECT, SetSecurityInfo};
    use windows_sys::Win32::Security::{ACL, ACL_REVISION, DACL_SECURITY_INFORMATION, InitializeAcl};
    use windows_sys::Win32::System::JobObjects::AssignProcessToJobObject;

    use super::*;

    /// A run of a program that waits for its input.
    fn run_of_one() -> (Container, Child) {
        let port = Arc::new(CompletionPort::new().unwrap());
        let job = Arc::new(Job::new(&port).unwrap());
        let child =
            Command::new("cmd.exe").args(["/d", "/k"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        // SAFETY: both handles are open.
        assert_ne!(unsafe { AssignProcessToJobObject(job.raw(), child.as_raw_handle()) }, 0);
        let shell = open_process(child.id()).unwrap();
        (Container::new(job, shell, false, None, port).unwrap(), child)
    }

    /// What is told of `child`.
    fn told_of(container: &Container, child: &Child) -> (String, SurvivalCause) {
        let survivors = container.survivors();
        let told = survivors.iter().find(|survivor| survivor.pid == child.id().cast_signed());
        let told = told.unwrap_or_else(|| panic!("not told: {survivors:?}"));
        (told.command.to_lowercase(), told.why)
    }

    fn is_emptied(mut container: Container, mut child: Child) {
        container.force_end();
        child.wait().unwrap();
        while !container.reap().empty {
            std::thread::yield_now();
        }
        assert_eq!(container.survivors(), []);
    }

    // faults: kill-not-verified
    #[test]
    fn a_member_that_is_there_is_not_named() {
        let (container, child) = run_of_one();
        let (command, why) = told_of(&container, &child);
        assert!(command.ends_with(r"\cmd.exe"), "{command}");
        assert_eq!(why, SurvivalCause::StillExiting);
        is_emptied(container, child);
    }

    #[test]
    fn a_member_that_lets_nobody_open_it_is_said_to_be_ending_or_lives_on() {
        let (container, child) = run_of_one();
        let mut nobody = ACL::default();
        // SAFETY: the list has room for itself and no entries; the handle may change who may open the process.
        let denied = unsafe {
            InitializeAcl(&raw mut nobody, size_of::<ACL>() as u32, ACL_REVISION);
            let (handle, what) = (child.as_raw_handle(), DACL_SECURITY_INFORMATION);
            SetSecurityInfo(
                handle,
                SE_KERNEL_OBJECT,
                what,
                ptr::null_mut(),
                ptr::null_mut(),
                &raw const nobody,
                ptr::null(),
            )
        };
        assert_eq!(denied, ERROR_SUCCESS);
        assert_eq!(told_of(&container, &child), ("?".to_owned(), SurvivalCause::AnotherUser));
        is_emptied(container, child);
    }

    #[test]
    fn a_member_that_has_just_ended_is_called_somebody_elses() {
        for refusal in [None, Some(io::ErrorKind::InvalidInput), Some(io::ErrorKind::NotFound)] {
            assert_eq!(cause_of(refusal), SurvivalCause::StillExiting);
        }
        assert_eq!(cause_of(Some(io::ErrorKind::PermissionDenied)), SurvivalCause::AnotherUser);
    }
}
