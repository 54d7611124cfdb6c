//! Threads for runs. One that is done waits a while for the next run: making a thread is a quarter of what a launch costs
//! its caller.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// Reading frames and waiting need little.
const STACK_BYTES: usize = 256 * 1024;

/// Parallel calls of one turn; more threads than that are not kept.
const MAX_IDLE: usize = 8;

/// An agent's next call mostly comes within seconds.
const IDLE_FOR: Duration = Duration::from_secs(30);

type Job = Box<dyn FnOnce() + Send>;

/// Who waits. Whoever takes an entry out sends it exactly one job.
static IDLE: Mutex<Vec<(ThreadId, Sender<Job>)>> = Mutex::new(Vec::new());

/// Runs `job` on a thread of its own. Returns at once.
///
/// # Errors
/// When the system gives no more threads.
pub(crate) fn spawn(job: Job) -> io::Result<()> {
    let waiting = idle().pop();
    let job = match waiting {
        Some((_, waiting)) => match waiting.send(job) {
            Ok(()) => return Ok(()),
            Err(back) => back.0,
        },
        None => job,
    };
    thread::Builder::new().name("foreman run".into()).stack_size(STACK_BYTES).spawn(move || work(job)).map(drop)
}

fn work(first: Job) {
    let mut job = first;
    loop {
        job();
        match wait_for_job() {
            Some(next) => job = next,
            None => return,
        }
    }
}

fn wait_for_job() -> Option<Job> {
    let (sender, receiver) = channel();
    let this = thread::current().id();
    {
        let mut idle = idle();
        if idle.len() >= MAX_IDLE {
            return None;
        }
        idle.push((this, sender));
    }
    if let Ok(job) = receiver.recv_timeout(IDLE_FOR) {
        return Some(job);
    }
    let mut idle = idle();
    let listed = idle.iter().position(|(id, _)| *id == this);
    if let Some(listed) = listed {
        idle.swap_remove(listed);
        return None;
    }
    // Somebody has just taken us off the list: the job is on its way.
    drop(idle);
    receiver.recv().ok()
}

fn idle() -> MutexGuard<'static, Vec<(ThreadId, Sender<Job>)>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_however_many_come_at_once() {
        let (done, all) = channel();
        for round in 0..20 {
            for n in 0..50 {
                let done = done.clone();
                spawn(Box::new(move || done.send(round * 50 + n).unwrap())).unwrap();
            }
        }
        drop(done);
        let mut seen: Vec<i32> = all.iter().collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..1_000).collect::<Vec<_>>());
    }

    #[test]
    fn a_thread_that_is_done_takes_the_next_job() {
        let (done, names) = channel();
        let mut seen = Vec::new();
        for _ in 0..200 {
            let done = done.clone();
            spawn(Box::new(move || done.send(thread::current().id()).unwrap())).unwrap();
            seen.push(names.recv().unwrap());
        }
        seen.sort_by_key(|id| format!("{id:?}"));
        seen.dedup();
        assert!(seen.len() < 100, "{} threads for 200 jobs, one after the other", seen.len());
    }
}
