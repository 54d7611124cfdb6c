//! What has to be gone with a run on Windows, where no pipe tells of its members: what it had on the disk.

use std::path::Path;

use foreman_core::spec::Spec;

/// Looks at the folders below the output base.
#[derive(Debug)]
pub(crate) struct Witness;

impl Witness {
    pub(crate) const fn create(_: &Path) -> (Self, Option<(&'static str, String)>) {
        (Self, None)
    }

    #[track_caller]
    #[expect(clippy::unused_self, reason = "on Unix it has a pipe")]
    pub(crate) fn expect_over(&mut self, _: &Spec, output_path: &str) {
        // base\session\tasks\file
        let base = Path::new(output_path).ancestors().nth(3).unwrap();
        for (folder, what) in [("shell", "the script"), ("journal", "the journal entry")] {
            let left = std::fs::read_dir(base.join(folder)).into_iter().flatten().count();
            assert_eq!(left, 0, "{what} is left on the disk");
        }
    }
}
