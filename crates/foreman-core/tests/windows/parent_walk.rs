//! Why members are not looked for by the links to their parents: under Git Bash these lead nowhere. The same tree that a job
//! ends to the last process is half missed by a walk, which is what `taskkill /T` does.

use std::collections::HashSet;

use windows_sys::Win32::Foundation::{CloseHandle, INVALID_HANDLE_VALUE};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::Threading::{OpenProcess, PROCESS_TERMINATE, TerminateProcess};

use crate::support::{TREE, TREE_ALIVE, script, wait_until};

#[test]
fn a_walk_by_parents_would_be_enough() {
    let mut run = script(TREE).start();
    let (_, shell) = run.started();
    let members = run.tree();
    let in_job = run.control.usage().unwrap().members;
    let reached = below(shell.cast_unsigned());
    let found = members.alive_of(&reached);
    for pid in &reached {
        terminate(*pid);
    }
    terminate(shell.cast_unsigned());
    // Whoever was ended needs a moment for it; who was not reached stays for ever.
    wait_until("those that the walk reached are gone", || members.alive_of(&reached) == 0);
    let (alive, left_in_job) = (members.alive(), run.control.usage().map_or(0, |usage| usage.members));
    run.stop();
    run.outcome();
    println!(
        "the job has {in_job} members, a walk reaches {}, and {found} of {TREE_ALIVE} probes; after it {left_in_job} of the \
         job live on, {alive} of the probes; after the stop {}",
        reached.len() + 1,
        members.alive()
    );
    members.expect_nobody();
    assert!(alive > 0, "the walk was enough: nothing is shown here");
}

/// Numbers of all that descend from `root` by the links of now.
fn below(root: u32) -> HashSet<u32> {
    let links = parents();
    let mut found = HashSet::new();
    let mut waiting = vec![root];
    while let Some(parent) = waiting.pop() {
        waiting.extend(links.iter().filter(|(pid, of)| *of == parent && found.insert(*pid)).map(|(pid, _)| *pid));
    }
    found
}

/// (process, parent) of the machine.
fn parents() -> Vec<(u32, u32)> {
    let mut links = Vec::new();
    let mut entry = PROCESSENTRY32W { dwSize: size_of::<PROCESSENTRY32W>() as u32, ..Default::default() };
    // SAFETY: the entry has the size it tells; the snapshot is closed at the end.
    unsafe {
        let snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
        assert_ne!(snapshot, INVALID_HANDLE_VALUE);
        let mut more = Process32FirstW(snapshot, &raw mut entry);
        while more != 0 {
            links.push((entry.th32ProcessID, entry.th32ParentProcessID));
            more = Process32NextW(snapshot, &raw mut entry);
        }
        CloseHandle(snapshot);
    }
    links
}

/// Only for processes that descend from a shell of this test.
fn terminate(pid: u32) {
    // SAFETY: calls on numbers and on a handle that is open between them.
    unsafe {
        let process = OpenProcess(PROCESS_TERMINATE, 0, pid);
        if !process.is_null() {
            TerminateProcess(process, 1);
            CloseHandle(process);
        }
    }
}
