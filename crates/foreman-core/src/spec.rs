//! What to run.

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::limits::{MAX_ID_BYTES, MAX_SCRIPT_BYTES, MAX_WINDOW_BYTES};
use crate::shell::Shell;

/// What happens when the time of a run is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnTimeout {
    /// It is ended, unless it was moved to the background before.
    Stop,
    /// It is ended, in the background too.
    StopAlways,
    /// Its caller is answered and it goes on in the background.
    Promote,
}

/// Everything the supervisor has to know of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// Names the run: `PI_FOREMAN_RUN`, journal entry, output file. `[A-Za-z0-9_-]`, 1 to [`MAX_ID_BYTES`] bytes.
    pub id: String,
    /// What the shell reads, byte for byte.
    pub script: String,
    /// Who reads it.
    pub shell: Shell,
    /// Absolute working directory.
    pub cwd: String,
    /// The whole environment, see [`crate::environment`].
    pub env: Vec<(String, String)>,
    /// Whether somebody waits for the answer: two pipes instead of one.
    pub foreground: bool,
    /// Folder of all output of this user.
    pub output_base: String,
    /// Folders below it, each one path part; the file is called `<id>.output`.
    pub output_folders: Vec<String>,
    /// Bytes that the output file may hold.
    pub output_cap_bytes: u64,
    /// Bytes of each half of a window.
    pub window_bytes: u32,
    /// Milliseconds from the start of the shell; `None`: no limit.
    pub timeout_ms: Option<u64>,
    /// What its end means.
    pub on_timeout: OnTimeout,
    /// Milliseconds between TERM and KILL.
    pub grace_ms: u64,
    /// Process id of the host, for the journal.
    pub host_pid: i32,
}

impl Spec {
    /// Refuses what cannot be meant, before anything is started.
    ///
    /// # Errors
    /// `BAD_REQUEST`, naming the field and what it has to be.
    pub fn validate(&self) -> Result<()> {
        let bad = |message: String| Err(Error::new(ErrorKind::BadRequest, message));
        if !is_path_part(&self.id) || self.id.len() > MAX_ID_BYTES {
            return bad(format!("run id {:?} is not 1 to {MAX_ID_BYTES} letters, digits, _ or -", self.id));
        }
        if self.script.len() > MAX_SCRIPT_BYTES {
            return bad(format!(
                "the command has {} bytes; at most {MAX_SCRIPT_BYTES} can be run: write it to a file and run that",
                self.script.len()
            ));
        }
        if let Some(at) = self.script.bytes().position(|b| b == 0) {
            return bad(format!("the command has a NUL byte at offset {at}; no shell can read one: remove it"));
        }
        if !std::path::Path::new(&self.cwd).is_absolute() {
            return bad(format!("working directory {:?} is not absolute", self.cwd));
        }
        for text in [&self.cwd, &self.output_base, &self.shell.path] {
            if text.contains('\0') {
                return bad(format!("path {text:?} has a NUL byte"));
            }
        }
        if let Some(folder) = self.output_folders.iter().find(|f| !is_path_part(f)) {
            return bad(format!("output folder {folder:?} is not one plain path part"));
        }
        if let Some((name, _)) = self.env.iter().find(|(n, v)| !is_env_name(n) || v.contains('\0')) {
            return bad(format!("environment entry {name:?} has an empty name, a \"=\" in its name or a NUL byte"));
        }
        if self.window_bytes as usize > MAX_WINDOW_BYTES {
            return bad(format!("window of {} bytes; at most {MAX_WINDOW_BYTES}", self.window_bytes));
        }
        Ok(())
    }
}

fn is_path_part(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn is_env_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}
