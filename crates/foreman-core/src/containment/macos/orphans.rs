//! What is left of a run whose supervisor was killed: found by descent from its shell, by session, group and mark, and ended.

use std::time::{Duration, Instant};

use super::darwin::Darwin;
use super::process_table::look_at;
use crate::containment::ProcessIdentity;
use crate::containment::pursuit::{Look, Observer, SUPERVISORS_SPARED_FOR};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(2);

/// Ends every process of a run whose supervisor is gone. Returns whether none is left within `bound`. This process and
/// those it descends from are never touched.
///
/// With the shell's identity its direct children are found even when it has ended; without it only who carries the mark,
/// and who descends from those.
pub(crate) fn end_orphans(run_id: &str, shell: Option<ProcessIdentity>, bound: Duration) -> bool {
    let begun = Instant::now();
    let mut observer = Observer::new(run_id, shell, ancestry());
    let mut kernel = Darwin::default();
    let mut empty_passes = 0;
    loop {
        if !observer.freeze_and_end(&mut kernel, begun.elapsed() < SUPERVISORS_SPARED_FOR) {
            return false;
        }
        // One look may fall between two links of a chain that forks and exits.
        empty_passes = if observer.members().is_empty() { empty_passes + 1 } else { 0 };
        if empty_passes == 2 {
            return true;
        }
        if begun.elapsed() >= bound {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
}

/// The births of this process and of everything it descends from.
fn ancestry() -> Vec<u64> {
    let mut births = Vec::new();
    let mut pid = rustix::process::getpid().as_raw_pid();
    while pid > 1
        && let Look::There(sight) = look_at(pid)
        && !births.contains(&sight.row.birth)
    {
        births.push(sight.row.birth);
        pid = sight.parent;
    }
    births
}
