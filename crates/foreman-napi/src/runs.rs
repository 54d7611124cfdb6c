//! Which runs this process has, and who is told of them. Lives as long as the process: a /reload of JavaScript changes
//! nothing here.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use foreman_core::frame::{Event, Request};
use foreman_core::host::{self, Control};
use foreman_core::outcome::{EndReason, Exit};
use foreman_core::{Error, ErrorKind};
use napi::bindgen_prelude::{Env, Function, Result};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;

use crate::errors::coded;
use crate::events::{JsExit, JsRunEvent, event_of, exit_of, float, reason_name, reason_of};
use crate::spec::{LaunchSpec, number};

/// Does not keep Node alive by itself; see [`hold`].
type Listener = ThreadsafeFunction<(String, Event), (), JsRunEvent, napi::Status, false, true>;

/// One Node environment: the main thread, or a worker.
type EnvironmentKey = usize;

static STATE: Mutex<Option<State>> = Mutex::new(None);

#[derive(Default)]
struct State {
    shim: Option<PathBuf>,
    runs: HashMap<String, Run>,
    listeners: HashMap<EnvironmentKey, Listener>,
    /// Environments that asked to be kept alive.
    held: HashSet<EnvironmentKey>,
}

struct Run {
    control: Option<Control>,
    environment: EnvironmentKey,
    meta: String,
    phase: Phase,
    foreground: bool,
    started_at_ms: f64,
    output_path: Option<String>,
    supervisor_pid: Option<i32>,
    shell_pid: Option<i32>,
    exit: Option<Exit>,
    reason: Option<EndReason>,
    members_left: Option<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Starting,
    Running,
    ShellExited,
    Ended,
    Failed,
}

/// See `RunInfo` in src/native.ts.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
pub struct JsRunInfo {
    pub id: String,
    pub meta: String,
    pub phase: String,
    pub foreground: bool,
    pub started_at_ms: f64,
    pub output_path: Option<String>,
    pub shell_pid: Option<i32>,
    pub exit: Option<JsExit>,
    pub reason: Option<String>,
    pub members_left: Option<bool>,
}

/// Tells where the supervisor executable is.
#[napi]
pub fn set_shim_path(path: String) {
    with_state(|state| state.shim = Some(path.into()));
}

/// Makes `listener` the one listener of this environment.
#[napi]
pub fn subscribe(env: Env, listener: Function<'_, JsRunEvent, ()>) -> Result<()> {
    let mut listener: Listener = listener
        .build_threadsafe_function::<(String, Event)>()
        .weak::<true>()
        .build_callback(|context| Ok(event_of(context.value.0, context.value.1)))?;
    let key = environment_key(&env);
    if with_state(|state| state.held.contains(&key)) {
        set_held(&mut listener, &env, true)?;
    }
    let is_new = with_state(|state| state.listeners.insert(key, listener)).is_none();
    if is_new {
        env.add_env_cleanup_hook(key, |key| {
            with_state(|state| {
                state.held.remove(&key);
                drop(state.listeners.remove(&key));
            });
        })?;
    }
    Ok(())
}

/// Keeps Node alive, or no longer.
#[napi]
pub fn hold(env: Env, held: bool) -> Result<()> {
    let key = environment_key(&env);
    with_state(|state| {
        let changed = if held { state.held.insert(key) } else { state.held.remove(&key) };
        match state.listeners.get_mut(&key) {
            Some(listener) if changed => set_held(listener, &env, held),
            // Told to the listener when there is one.
            _ => Ok(()),
        }
    })
}

#[expect(deprecated, reason = "the advised clone counts owners; this is about the event loop")]
fn set_held(listener: &mut Listener, env: &Env, held: bool) -> Result<()> {
    if held { listener.refer(env) } else { listener.unref(env) }
}

/// Starts a run.
#[napi]
pub fn launch(env: Env, spec: LaunchSpec) -> Result<(), &'static str> {
    launch_in(environment_key(&env), spec).map_err(|e| coded(&e))
}

fn launch_in(environment: EnvironmentKey, mut spec: LaunchSpec) -> foreman_core::Result<()> {
    let (id, foreground) = (spec.id.clone(), spec.foreground);
    let meta = std::mem::take(&mut spec.meta);
    let spec = spec.into_core()?;
    let run = Run {
        control: None,
        environment,
        meta,
        phase: Phase::Starting,
        foreground,
        started_at_ms: now_ms(),
        output_path: None,
        supervisor_pid: None,
        shell_pid: None,
        exit: None,
        reason: None,
        members_left: None,
    };
    // Listed before it is launched: its first event may come before `launch` is back.
    let shim = with_state(|state| {
        if state.runs.contains_key(&id) {
            return Err(Error::new(ErrorKind::BadRequest, format!("there is a run {id} already")));
        }
        state.runs.insert(id.clone(), run);
        Ok(state.shim.clone())
    })?;
    let event_id = id.clone();
    let launched = host::launch(spec, shim.as_deref(), move |event| publish(&event_id, event));
    with_state(|state| match launched {
        Ok(control) => {
            if let Some(run) = state.runs.get_mut(&id) {
                run.control = Some(control);
            }
            Ok(())
        }
        Err(e) => {
            state.runs.remove(&id);
            Err(e)
        }
    })
}

/// Asks a run to end.
#[napi]
pub fn request_stop(id: String, reason: String, grace_ms: Option<f64>) -> Result<bool, &'static str> {
    let reason = reason_of(&reason)
        .ok_or_else(|| Error::new(ErrorKind::BadRequest, format!("nobody can stop a run for reason {reason:?}")));
    let stop = reason.and_then(|reason| Ok(Request::Stop { reason, grace_ms: number("graceMs", grace_ms)? }));
    stop.map(|stop| request(&id, &stop)).map_err(|e| coded(&e))
}

/// Asks a run to go on in the background.
#[napi]
pub fn request_promotion(id: String) -> bool {
    request(&id, &Request::Promote)
}

/// Asks for the windows of a run, or for their last bytes only.
#[napi]
pub fn request_snapshot(id: String, tail_bytes: Option<u32>) -> bool {
    request(&id, &Request::Snapshot { tail_bytes })
}

/// Replaces what is kept beside a run. False: no such run.
#[napi]
pub fn set_meta(id: String, meta: String) -> bool {
    with_state(|state| state.runs.get_mut(&id).map(|run| run.meta = meta).is_some())
}

/// All runs that were not forgotten, oldest first.
#[napi]
pub fn runs() -> Vec<JsRunInfo> {
    let mut all: Vec<_> = with_state(|state| state.runs.iter().map(|(id, run)| info_of(id, run)).collect());
    all.sort_by(|a, b| a.started_at_ms.total_cmp(&b.started_at_ms).then_with(|| a.id.cmp(&b.id)));
    all
}

/// One run.
#[napi]
pub fn run(id: String) -> Option<JsRunInfo> {
    with_state(|state| state.runs.get(&id).map(|run| info_of(&id, run)))
}

/// Forgets a run that is over; others stay.
#[napi]
pub fn forget(id: String) {
    with_state(|state| {
        if state.runs.get(&id).is_some_and(|run| matches!(run.phase, Phase::Ended | Phase::Failed)) {
            state.runs.remove(&id);
        }
    });
}

/// What `stats` needs of a run.
pub struct Measurable {
    /// `None` when it is over: its numbers are somebody else's afterwards.
    pub alive: Option<AliveRun>,
    /// When it was launched, in Unix milliseconds.
    pub started_at_ms: f64,
    /// Where its output goes.
    pub output_path: Option<String>,
}

/// A run that is not over.
pub struct AliveRun {
    /// Its supervisor. On Windows that is this process.
    pub supervisor_pid: i32,
    /// Its line to the supervisor.
    pub control: Control,
}

/// Looks a run up for `stats`.
pub fn measurable(id: &str) -> Option<Measurable> {
    with_state(|state| {
        let run = state.runs.get(id)?;
        let lives = !matches!(run.phase, Phase::Ended | Phase::Failed);
        let alive = run.supervisor_pid.zip(run.control.clone()).filter(|_| lives);
        Some(Measurable {
            alive: alive.map(|(supervisor_pid, control)| AliveRun { supervisor_pid, control }),
            started_at_ms: run.started_at_ms,
            output_path: run.output_path.clone(),
        })
    })
}

/// Unix milliseconds.
pub fn now_ms() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    float(u64::try_from(since.as_millis()).unwrap_or_default())
}

/// Runs on the thread of the run.
fn publish(id: &str, event: Event) {
    with_state(|state| {
        let Some(run) = state.runs.get_mut(id) else { return };
        run.note(&event);
        if let Some(listener) = state.listeners.get(&run.environment) {
            // An environment that is closing takes nothing any more, and needs nothing any more.
            listener.call((id.to_owned(), event), ThreadsafeFunctionCallMode::NonBlocking);
        }
    });
}

impl Run {
    fn note(&mut self, event: &Event) {
        match event {
            Event::Started { output_path, supervisor_pid, shell_pid, shell_start: _ } => {
                self.phase = Phase::Running;
                self.output_path = Some(output_path.clone()).filter(|path| !path.is_empty());
                self.supervisor_pid = Some(*supervisor_pid);
                self.shell_pid = Some(*shell_pid);
            }
            Event::Failed { .. } => self.phase = Phase::Failed,
            Event::Promoted { .. } => self.foreground = false,
            Event::ShellExited { exit, reason, members_left, .. } => {
                self.phase = Phase::ShellExited;
                (self.exit, self.reason, self.members_left) = (Some(*exit), Some(*reason), Some(*members_left));
            }
            Event::Ended { exit, reason, .. } => {
                self.phase = Phase::Ended;
                (self.exit, self.reason, self.members_left) = (Some(*exit), Some(*reason), Some(false));
            }
            Event::Snapshot(_) | Event::StopResult(_) => {}
        }
    }
}

fn request(id: &str, request: &Request) -> bool {
    let control = with_state(|state| state.runs.get(id).and_then(|run| run.control.clone()));
    control.is_some_and(|control| control.request(request))
}

fn info_of(id: &str, run: &Run) -> JsRunInfo {
    let phase = match run.phase {
        Phase::Starting => "starting",
        Phase::Running => "running",
        Phase::ShellExited => "shell-exited",
        Phase::Ended => "ended",
        Phase::Failed => "failed",
    };
    JsRunInfo {
        id: id.to_owned(),
        meta: run.meta.clone(),
        phase: phase.into(),
        foreground: run.foreground,
        started_at_ms: run.started_at_ms,
        output_path: run.output_path.clone(),
        shell_pid: run.shell_pid,
        exit: run.exit.map(exit_of),
        reason: run.reason.map(|reason| reason_name(reason).into()),
        members_left: run.members_left,
    }
}

fn environment_key(env: &Env) -> EnvironmentKey {
    env.raw() as EnvironmentKey
}

/// Holds the lock for a moment only: nothing that waits is done inside.
fn with_state<T>(look: impl FnOnce(&mut State) -> T) -> T {
    let mut guard: MutexGuard<'_, Option<State>> = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    look(guard.get_or_insert_default())
}
