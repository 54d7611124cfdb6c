//! Which runs exist on this machine: one small file per run, removed at its end.
//!
//! A file that is still there although its supervisor is gone means that something killed the supervisor. Its members are
//! then found by the mark in their environment and by the session of its shell, and ended.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::capture::OutputFolder;
use crate::containment::{ProcessIdentity, boot_id, end_orphans, pid_namespace};
use crate::error::Result;
#[cfg(unix)]
use crate::limits::STOPPED_AGAIN_AFTER;

/// Name of the folder below the output base.
pub const JOURNAL_FOLDER: &str = "journal";

/// Entries are a few hundred bytes; more is not ours.
const MAX_ENTRY_BYTES: u64 = 16 * 1024;

/// How long a sweep tries to empty one run.
const SWEEP_BOUND: Duration = Duration::from_millis(2_000);

/// An entry that cannot be read is left alone for so long.
const SETTLED_AFTER: Duration = Duration::from_secs(60);

/// An entry of another boot stays for so long: as long as the output of a run that has ended, so that no file is kept longer
/// because of it.
const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What the journal holds of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Id of the run.
    pub run_id: String,
    /// The kernel's id of this boot: process numbers and start times mean nothing in another one.
    pub boot_id: String,
    /// The kernel's name of the process namespace: numbers mean nothing in another one, such as a container with our `/tmp`.
    pub pid_namespace: String,
    /// Its supervisor.
    pub supervisor: ProcessIdentity,
    /// Its shell.
    pub shell: Option<ProcessIdentity>,
    /// Process id of the host that started it.
    pub host_pid: i32,
    /// Where its output goes.
    pub output_path: Option<String>,
}

/// What a sweep found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// Runs whose supervisor was gone; their members are ended.
    pub ended: Vec<String>,
    /// Output files of runs that are alive, whoever started them.
    pub live_outputs: Vec<String>,
}

/// Writes the entry of a run. Trouble is not the run's trouble: without an entry only the sweep loses something.
pub fn record(folder: &OutputFolder, entry: &Entry) {
    if let Ok((mut file, _)) = folder.create_file(&file_name(&entry.run_id))
        && let Ok(text) = serde_json::to_vec(entry)
    {
        let _ = file.write_all(&text);
    }
}

/// Removes the entry of a run.
pub fn remove(folder: &OutputFolder, run_id: &str) {
    let _ = folder.remove_file(&file_name(run_id));
}

/// Removes the entry that the supervisor of a run has left, wherever below `output_base` (or the per-user folder beside it).
/// Its numbers would one day be those of strangers.
#[cfg(unix)]
pub(crate) fn forget(output_base: &str, run_id: &str) {
    for base in crate::capture::output_bases(output_base) {
        if std::fs::symlink_metadata(&base).is_ok()
            && let Ok(folder) = OutputFolder::open(&base, &[JOURNAL_FOLDER])
        {
            remove(&folder, run_id);
        }
    }
}

/// Looks through the journal below `output_base` (and the per-user folder beside it), ends what is left of runs without a
/// supervisor and removes their entries. Runs of living supervisors are not touched.
///
/// # Errors
/// `OUTPUT_UNWRITABLE` when there is no such folder that is ours.
pub fn sweep(output_base: &str) -> Result<SweepReport> {
    let mut report = SweepReport::default();
    for base in crate::capture::output_bases(output_base) {
        if std::fs::symlink_metadata(&base).is_ok() {
            let (base, folder) = OutputFolder::open_with_base(&base, &[JOURNAL_FOLDER])?;
            sweep_folder(base.path(), &folder, &mut report);
        }
    }
    Ok(report)
}

/// Ends what is left of one run whose supervisor the caller saw dying. Returns whether nothing is left.
///
/// `shell` has to have been looked at while it was alive; without it only members with the run's mark are found.
pub fn sweep_run(run_id: &str, shell: Option<ProcessIdentity>) -> bool {
    end_orphans(run_id, shell, SWEEP_BOUND)
}

fn sweep_folder(base: &str, folder: &OutputFolder, report: &mut SweepReport) {
    let (this_boot, this_namespace) = (boot_id(), pid_namespace());
    for name in folder.file_names().unwrap_or_default() {
        match read_entry(folder, &name) {
            // Somebody's who cannot be looked at from here.
            Some(entry) if entry.boot_id == this_boot && entry.pid_namespace != this_namespace => {
                report.live_outputs.extend(entry.output_path);
            }
            Some(entry) if entry.boot_id == this_boot && supervises(&entry) => {
                report.live_outputs.extend(entry.output_path);
            }
            Some(entry) if entry.boot_id == this_boot => {
                let is_ended = sweep_run(&entry.run_id, entry.shell);
                if is_ended {
                    crate::spawn::forget_script(base, &entry.run_id);
                    let _ = folder.remove_file(&name);
                    report.ended.push(entry.run_id);
                }
            }
            // Of an earlier boot of this machine; or of another machine that shares the folder, where it may be alive.
            Some(entry) if folder.age_of(&name).is_none_or(|age| age <= KEPT_FOR) => {
                report.live_outputs.extend(entry.output_path);
            }
            Some(_) => {
                let _ = folder.remove_file(&name);
            }
            // Torn by a full disk; or just being written by somebody else's supervisor, which takes no minute.
            None if folder.age_of(&name).is_some_and(|age| age > SETTLED_AFTER) => {
                let _ = folder.remove_file(&name);
            }
            None => {}
        }
    }
}

/// Whether somebody supervises a run, once it goes on: its own command may have stopped it, and where no system wakes it at
/// the end of its host it missed that. A command that stops it again and again is supervised by nobody when its host has
/// gone: then it is killed.
#[cfg(unix)]
fn supervises(entry: &Entry) -> bool {
    let supervisor = entry.supervisor;
    if !supervisor.is_alive() {
        return false;
    }
    let was_stopped = supervisor.is_stopped();
    supervisor.wake();
    if !was_stopped || supervisor.is_child_of(entry.host_pid) {
        return true;
    }
    std::thread::sleep(STOPPED_AGAIN_AFTER);
    if supervisor.is_stopped() {
        supervisor.force_end();
        return false;
    }
    true
}

#[cfg(windows)]
fn supervises(entry: &Entry) -> bool {
    entry.supervisor.is_alive()
}

fn read_entry(folder: &OutputFolder, name: &str) -> Option<Entry> {
    let mut text = Vec::new();
    folder.open_file(name).ok()?.take(MAX_ENTRY_BYTES).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

fn file_name(run_id: &str) -> String {
    format!("{run_id}.json")
}
