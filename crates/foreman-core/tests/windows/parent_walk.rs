//! Why members are not looked for by the links to their parents: under Git Bash these lead nowhere. The same tree that a job
//! ends to the last process is half missed by a walk, which is what `taskkill /T` does; and a host that was killed walks no
//! more. The tests of a stop, a timeout and a killed host with the core itself: `stop.rs`, `host_death.rs`.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::os::windows::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use foreman_core::spec::Spec;
use windows_sys::Win32::Foundation::{CloseHandle, INVALID_HANDLE_VALUE};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::Threading::{CREATE_NO_WINDOW, OpenProcess, PROCESS_TERMINATE, TerminateProcess};

use crate::support::{Members, OuterJob, TREE, TREE_ALIVE, TREE_READY, script, wait_until};

/// Where a host without a job finds what it needs.
const PLAN: &str = "FOREMAN_CORE_TEST_PLAN_WITHOUT_JOB";

/// Said by it in place of its tree, which keeps its output open.
const SHELL_ENDED: &str = "the shell has ended";

/// Many times what the system needs to end the members of a job.
const LONG_AFTER_THE_END: Duration = Duration::from_secs(1);

#[test]
fn a_walk_by_parents_would_be_enough() {
    let mut run = script(TREE).start();
    let (_, _, shell) = run.started();
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
    assert_eq!(alive, TREE_ALIVE - found, "who was not reached has ended by something else");
    assert!(alive > 0, "the walk was enough: nothing is shown here");
}

// faults: host-kill9-orphans
#[test]
fn a_tree_would_end_with_its_host_by_itself() {
    let net = OuterJob::new(0);
    let (spec, folder) = script(TREE).into_parts();
    let plan = folder.path().join("plan");
    serde_json::to_writer(File::create(&plan).unwrap(), &(spec, net.name())).unwrap();
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "parent_walk::host_without_a_job", "--ignored", "--nocapture"])
        .env(PLAN, &plan)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut printed, mut said) = (BufReader::new(host.stdout.take().unwrap()), String::new());
    let members = loop {
        printed.read_line(&mut said).unwrap();
        assert!(!said.contains(SHELL_ENDED), "{said}");
        if let Some(members) = Members::in_output(&said, TREE_READY) {
            break members;
        }
    };
    members.expect_all_alive(TREE_ALIVE);
    host.kill().unwrap();
    host.wait().unwrap();
    // Nothing happens that could be waited for.
    std::thread::sleep(LONG_AFTER_THE_END);
    let left = members.alive();
    drop(net);
    wait_until("the net has ended them", || members.alive() == 0);
    println!("a host without a job was killed: {left} of {TREE_ALIVE} probes live on");
    assert_eq!(left, TREE_ALIVE);
}

#[test]
#[ignore = "another test starts it as a process of its own"]
fn host_without_a_job() {
    let Some(plan) = std::env::var_os(PLAN) else { return };
    let (spec, net): (Spec, String) = serde_json::from_reader(File::open(plan).unwrap()).unwrap();
    OuterJob::join(&net);
    // Ends what the harness has begun.
    println!();
    let mut shell = Command::new(spec.shell.path)
        // Braces: see `MSYS_START`.
        .args(["-l", "-c", &format!("{{ {}; }}", spec.script)])
        .env_clear()
        .envs(spec.env)
        .current_dir(spec.cwd)
        .creation_flags(CREATE_NO_WINDOW)
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    shell.wait().unwrap();
    println!("{SHELL_ENDED}");
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
