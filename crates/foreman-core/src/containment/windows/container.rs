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
            let why = match &process {
                Err(e) if e.kind() == io::ErrorKind::PermissionDenied => SurvivalCause::AnotherUser,
                _ => SurvivalCause::StillExiting,
            };
            let command = process.ok().and_then(|process| image_of(&process)).unwrap_or_else(|| "?".into());
            Survivor { pid: pid.cast_signed(), command, why }
        };
        self.job.pids().unwrap_or_default().into_iter().map(survivor).collect()
    }
}
