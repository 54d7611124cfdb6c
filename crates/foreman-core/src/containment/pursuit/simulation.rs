//! A pursuit in a kernel that is made up. Whenever it is asked anything, something else may happen in between: a process
//! forks, opens a session, ends. What no machine does on demand happens here by seed.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

use rustix::process::Signal;

use super::{Happened, Kernel, Look, Party, Row, SUPERVISORS_SPARED_FOR, Sight};
use crate::containment::ProcessIdentity;
use crate::limits::HOST_GONE_GRACE;

const LAUNCHD: i32 = 1;
const SUPERVISOR: i32 = 90;
const SHELL: i32 = 100;
/// Few, so that they come around soon.
const PIDS: std::ops::Range<i32> = 100..130;

#[derive(Debug, Clone, Copy)]
struct Process {
    row: Row,
    parent: i32,
    is_marked: bool,
    is_stopped: bool,
    has_ended: bool,
    ignores_term: bool,
}

#[derive(Debug)]
struct World {
    processes: BTreeMap<i32, Process>,
    births: u64,
    next_pid: i32,
    seed: u64,
    /// Of a thousand questions so many find that something has happened.
    liveliness: u64,
    forks_left: u32,
    /// Births of all that ever descended from the shell.
    ours: HashSet<u64>,
    watched: HashMap<i32, u64>,
    forked: Vec<i32>,
    ended: Vec<i32>,
    timer_is_set: bool,
    may_look: bool,
    marks_can_be_seen: bool,
    hit_strangers: Vec<Row>,
    /// Happens once, right behind the next list of all processes.
    behind_list: Option<fn(&mut World)>,
}

#[derive(Debug, Clone)]
struct Simulation(Rc<RefCell<World>>);

impl World {
    fn random(&mut self, below: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % below
    }

    /// As the real kernel does, it passes over a number that is still a group's or a session's.
    fn free_pid(&mut self) -> Option<i32> {
        for _ in PIDS {
            self.next_pid = if self.next_pid + 1 < PIDS.end { self.next_pid + 1 } else { PIDS.start };
            let pid = self.next_pid;
            if !self.processes.values().any(|p| [p.row.pid, p.row.group, p.row.session].contains(&pid)) {
                return Some(pid);
            }
        }
        None
    }

    fn fork(&mut self, parent: i32) -> Option<i32> {
        let pid = self.free_pid()?;
        self.births += 1;
        let from = self.processes[&parent];
        let row = Row { pid, birth: self.births, starter: from.row.birth, ..from.row };
        self.processes.insert(pid, Process { row, parent, is_stopped: false, ..from });
        if self.ours.contains(&from.row.birth) {
            self.ours.insert(row.birth);
        }
        if self.watched.contains_key(&parent) {
            self.forked.push(parent);
        }
        Some(pid)
    }

    fn open_session(&mut self, pid: i32) {
        let has_group = self.processes.values().any(|p| p.row.group == pid);
        if let Some(process) = self.processes.get_mut(&pid).filter(|_| !has_group) {
            (process.row.group, process.row.session) = (pid, pid);
        }
    }

    fn end(&mut self, pid: i32) {
        let Some(process) = self.processes.get_mut(&pid).filter(|process| !process.has_ended) else { return };
        process.has_ended = true;
        // A place that only the ended are in is empty for everybody else; its number stays taken until they are collected.
        process.row.session = 0;
        let parent = process.parent;
        let orphans: Vec<i32> = self.processes.values().filter(|p| p.parent == pid).map(|p| p.row.pid).collect();
        for orphan in orphans {
            if let Some(process) = self.processes.get_mut(&orphan) {
                process.parent = LAUNCHD;
                if process.has_ended {
                    self.processes.remove(&orphan);
                }
            }
        }
        if self.watched.remove(&pid).is_some() {
            self.ended.push(pid);
        }
        if parent == LAUNCHD {
            self.processes.remove(&pid);
        }
    }

    /// Something happens to a process that can act.
    fn happen(&mut self) {
        if self.random(1_000) >= self.liveliness {
            return;
        }
        let able: Vec<i32> = self
            .processes
            .values()
            .filter(|p| !p.has_ended && !p.is_stopped && p.row.pid >= PIDS.start)
            .map(|p| p.row.pid)
            .collect();
        if able.is_empty() {
            return;
        }
        let at = self.random(able.len() as u64) as usize;
        let pid = able[at];
        match self.random(5) {
            0 | 1 if self.forks_left > 0 => {
                self.forks_left -= 1;
                let child = self.fork(pid);
                if let Some(child) = child.filter(|_| self.random(3) == 0) {
                    self.open_session(child);
                }
            }
            2 => self.open_session(pid),
            // A parent looks after its ended children.
            3 => self.processes.retain(|_, p| !(p.has_ended && p.parent == pid)),
            _ => self.end(pid),
        }
    }

    fn living(&self) -> Vec<Row> {
        self.processes.values().filter(|p| !p.has_ended && self.ours.contains(&p.row.birth)).map(|p| p.row).collect()
    }

    fn deliver(&mut self, pid: i32, signal: Signal) {
        let Some(process) = self.processes.get_mut(&pid).filter(|p| !p.has_ended) else { return };
        if !self.ours.contains(&process.row.birth) {
            self.hit_strangers.push(process.row);
        }
        match signal {
            Signal::STOP => process.is_stopped = true,
            Signal::CONT => process.is_stopped = false,
            Signal::TERM if process.ignores_term => {}
            _ => self.end(pid),
        }
    }
}

impl Kernel for Simulation {
    fn pids(&mut self) -> Option<Vec<i32>> {
        let mut world = self.0.borrow_mut();
        world.happen();
        let pids = world.may_look.then(|| world.processes.keys().rev().copied().collect());
        if let Some(happen) = world.behind_list.take() {
            happen(&mut world);
        }
        pids
    }

    fn look_at(&mut self, pid: i32) -> Look {
        let mut world = self.0.borrow_mut();
        world.happen();
        match world.processes.get(&pid) {
            _ if !world.may_look => Look::Nobody,
            None => Look::Nobody,
            Some(process) if process.has_ended => Look::Ended(process.row.birth),
            Some(process) => Look::There(Sight { row: process.row, parent: process.parent, in_exit: false }),
        }
    }

    fn children_of(&mut self, pid: i32) -> Vec<i32> {
        let mut world = self.0.borrow_mut();
        world.happen();
        world.processes.values().filter(|p| p.parent == pid).map(|p| p.row.pid).collect()
    }

    fn has_variable(&mut self, pid: i32, _: &[u8]) -> Option<bool> {
        let mut world = self.0.borrow_mut();
        world.happen();
        let process = world.processes.get(&pid).filter(|_| world.marks_can_be_seen)?;
        (!process.has_ended).then_some(process.is_marked)
    }

    fn signal(&mut self, pid: i32, signal: Signal) {
        self.0.borrow_mut().deliver(pid, signal);
    }

    fn signal_group(&mut self, group: i32, signal: Signal) {
        let mut world = self.0.borrow_mut();
        let members: Vec<i32> = world.processes.values().filter(|p| p.row.group == group).map(|p| p.row.pid).collect();
        for member in members {
            // One that is forked behind the list gets nothing.
            world.happen();
            world.deliver(member, signal);
        }
    }

    fn watch(&mut self, pid: i32, birth: u64) -> bool {
        let mut world = self.0.borrow_mut();
        world.happen();
        let is_there = world.processes.get(&pid).is_some_and(|p| p.row.birth == birth && !p.has_ended);
        if is_there {
            world.watched.insert(pid, birth);
        }
        is_there
    }

    fn is_watching(&self) -> bool {
        !self.0.borrow().watched.is_empty()
    }

    fn look_again_after(&mut self, _: Duration) {
        self.0.borrow_mut().timer_is_set = true;
    }

    fn take_happened(&mut self) -> Happened {
        let mut world = self.0.borrow_mut();
        world.happen();
        let is_time = std::mem::take(&mut world.timer_is_set);
        Happened { forked: std::mem::take(&mut world.forked), ended: std::mem::take(&mut world.ended), is_time }
    }
}

/// A run in its world, with as much of the supervisor as is needed to drive it.
struct Run {
    world: Rc<RefCell<World>>,
    party: Party<Simulation>,
    is_collected: bool,
}

impl Run {
    fn start(seed: u64, liveliness: u64, forks: u32) -> Self {
        let row = |pid, birth, starter| Row { pid, birth, starter, group: pid, session: pid, supervises: false };
        let process = |row, parent| Process {
            row,
            parent,
            is_marked: false,
            is_stopped: false,
            has_ended: false,
            ignores_term: false,
        };
        let shell = Process { is_marked: true, ..process(row(SHELL, 1_000, 900), SUPERVISOR) };
        let processes = [
            (LAUNCHD, process(row(LAUNCHD, 1, 0), 0)),
            (50, process(row(50, 500, 1), LAUNCHD)),
            (SUPERVISOR, process(row(SUPERVISOR, 900, 500), 50)),
            (SHELL, shell),
            // Younger than the shell, and none of its business: it forks and ends like everybody else.
            (101, process(row(101, 1_001, 500), 50)),
        ];
        let world = World {
            processes: processes.into(),
            births: 1_001,
            next_pid: 101,
            seed,
            liveliness: 0,
            forks_left: forks,
            ours: HashSet::from([1_000]),
            watched: HashMap::new(),
            forked: Vec::new(),
            ended: Vec::new(),
            timer_is_set: false,
            may_look: true,
            marks_can_be_seen: true,
            hit_strangers: Vec::new(),
            behind_list: None,
        };
        let world = Rc::new(RefCell::new(world));
        let identity = ProcessIdentity { pid: SHELL, start: 1_000 };
        let party = Party::new(Simulation(world), "r1", SHELL, Some(identity), Some(900));
        let world = party.kernel().0.clone();
        world.borrow_mut().liveliness = liveliness;
        Self { world, party, is_collected: false }
    }

    /// What the supervisor does when it wakes.
    fn is_empty(&mut self) -> Option<bool> {
        let shell_ended = {
            let mut world = self.world.borrow_mut();
            let has_ended = !self.is_collected && world.processes[&SHELL].has_ended;
            if has_ended {
                world.processes.remove(&SHELL);
            }
            has_ended
        };
        if shell_ended {
            self.is_collected = true;
            self.party.note_shell_collected();
        }
        self.party.is_empty(shell_ended)
    }

    /// Whether anything would wake the supervisor.
    fn is_woken(&self) -> bool {
        let world = self.world.borrow();
        world.timer_is_set
            || !world.forked.is_empty()
            || !world.ended.is_empty()
            || (!self.is_collected && world.processes[&SHELL].has_ended)
    }

    fn happen(&self, times: u32) {
        for _ in 0..times {
            self.world.borrow_mut().happen();
        }
    }

    #[track_caller]
    fn expect_nobody(&self, seed: u64) {
        let world = self.world.borrow();
        assert_eq!(world.living(), [], "seed {seed}: called empty while somebody lives");
        assert_eq!(world.hit_strangers, [], "seed {seed}");
    }
}

#[test]
fn a_tree_that_forks_while_it_is_ended_lives_on_or_a_stranger_is_hit() {
    for seed in 0..200 {
        let mut run = Run::start(seed, 20, 60);
        run.happen(2_000);
        let mut rounds = 0;
        while run.is_empty() != Some(true) {
            if rounds % 4 == 3 {
                run.party.force_end_of_rest()
            } else {
                run.party.force_end()
            }
            rounds += 1;
            assert!(rounds < 200, "seed {seed}: {:?}", run.world.borrow().living());
        }
        run.expect_nobody(seed);
    }
}

#[test]
fn the_end_of_the_last_member_is_slept_through() {
    for seed in 0..200 {
        let mut run = Run::start(seed, 100, 30);
        // Everybody ends by itself sooner or later; the supervisor looks only when something wakes it.
        let mut idle = 0;
        loop {
            run.happen(5);
            if run.is_woken() {
                idle = 0;
                if run.is_empty() == Some(true) {
                    break;
                }
            } else {
                idle += 1;
                assert!(
                    idle < 10_000 || !run.world.borrow().living().is_empty(),
                    "seed {seed}: nothing wakes it any more"
                );
            }
        }
        run.expect_nobody(seed);
    }
}

#[test]
fn a_member_whose_environment_is_hidden_lives_on_although_it_was_seen() {
    for seed in 0..200 {
        let mut run = Run::start(seed, 0, 60);
        run.world.borrow_mut().marks_can_be_seen = false;
        // A slow tree: the supervisor sees every fork before the next thing happens.
        for _ in 0..300 {
            let happens = &run.world;
            happens.borrow_mut().liveliness = 1_000;
            run.happen(1);
            run.world.borrow_mut().liveliness = 0;
            if run.is_woken() && run.is_empty() == Some(true) {
                break;
            }
        }
        let mut rounds = 0;
        while run.is_empty() != Some(true) {
            run.party.force_end_of_rest();
            rounds += 1;
            assert!(rounds < 10, "seed {seed}: {:?}", run.world.borrow().living());
        }
        run.expect_nobody(seed);
    }
}

#[test]
fn a_link_that_was_forked_behind_the_last_list_is_called_gone() {
    const FIRST_LINK: i32 = 103;
    let mut run = Run::start(1, 0, 0);
    {
        let mut world = run.world.borrow_mut();
        let gap = world.fork(SHELL).unwrap();
        assert_eq!(world.fork(gap), Some(FIRST_LINK));
        world.open_session(FIRST_LINK);
        world.end(gap);
        world.end(SHELL);
        world.behind_list = Some(|world| {
            world.fork(FIRST_LINK).unwrap();
            world.end(FIRST_LINK);
        });
    }
    assert_eq!(run.is_empty(), Some(false));
    run.party.force_end_of_rest();
    assert_eq!(run.is_empty(), Some(true));
    run.expect_nobody(1);
}

#[test]
fn a_polite_end_is_asked_for_twice_or_not_of_everybody() {
    let mut run = Run::start(1, 0, 0);
    let (below, daemon) = {
        let mut world = run.world.borrow_mut();
        let below = world.fork(SHELL).unwrap();
        let daemon = world.fork(below).unwrap();
        world.open_session(daemon);
        for pid in [SHELL, below, daemon] {
            world.processes.entry(pid).and_modify(|p| p.ignores_term = true);
        }
        (below, daemon)
    };
    run.party.request_end();
    run.party.request_end_of_rest();
    run.party.request_end_of_rest();
    assert_eq!(run.world.borrow().living().iter().map(|row| row.pid).collect::<Vec<_>>(), [SHELL, below, daemon]);
    assert_eq!(run.party.survivors().iter().map(|sight| sight.row.pid).collect::<Vec<_>>(), [SHELL, below, daemon]);
}

#[test]
fn a_sandbox_that_hides_processes_makes_a_run_empty() {
    let mut run = Run::start(1, 0, 0);
    run.world.borrow_mut().fork(SHELL).unwrap();
    run.world.borrow_mut().may_look = false;
    assert_eq!(run.is_empty(), Some(false));
    run.world.borrow_mut().end(SHELL);
    assert_eq!(run.is_empty(), None);
    assert!(run.is_woken(), "nobody would ask again");
}

#[test]
fn a_run_inside_the_run_is_left_behind_without_its_supervisor() {
    let mut run = Run::start(1, 0, 0);
    let (nested, its_shell) = {
        let mut world = run.world.borrow_mut();
        let nested = world.fork(SHELL).unwrap();
        world.open_session(nested);
        world.processes.entry(nested).and_modify(|p| (p.row.supervises, p.is_marked) = (true, false));
        let its_shell = world.fork(nested).unwrap();
        world.open_session(its_shell);
        (nested, its_shell)
    };
    run.party.force_end();
    run.party.force_end_of_rest();
    let living: Vec<i32> = run.world.borrow().living().iter().map(|row| row.pid).collect();
    assert_eq!(living, [nested, its_shell], "it had no time to end what only it knows");
    assert_eq!(run.is_empty(), Some(false));
    // Its host is gone: it ends its run, then itself.
    run.world.borrow_mut().end(its_shell);
    run.world.borrow_mut().end(nested);
    assert!(run.is_woken());
    assert_eq!(run.is_empty(), Some(true));
    assert!(SUPERVISORS_SPARED_FOR > HOST_GONE_GRACE * 2);
}
