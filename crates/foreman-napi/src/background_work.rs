//! What takes time or touches files: done on a thread of Node's pool, answered by a promise.

use std::collections::{HashMap, HashSet};

use foreman_core::{Error, journal};
use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Task};
use napi_derive::napi;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

use crate::errors::prefixed;
use crate::events::float;
use crate::runs::{measurable, now_ms};

/// A piece of work and nothing else.
pub struct Work<T>(Option<Box<dyn FnOnce() -> Result<T, Error> + Send>>);

impl<T> Work<T> {
    /// Work to be done once.
    pub fn new(work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> AsyncTask<Self>
    where
        T: napi::bindgen_prelude::ToNapiValue + napi::bindgen_prelude::TypeName + Send + 'static,
    {
        AsyncTask::new(Self(Some(Box::new(work))))
    }
}

impl<T> Task for Work<T>
where
    T: napi::bindgen_prelude::ToNapiValue + napi::bindgen_prelude::TypeName + Send + 'static,
{
    type Output = T;
    type JsValue = T;

    fn compute(&mut self) -> napi::Result<T> {
        let work = self.0.take().ok_or_else(|| napi::Error::from_reason("work is done once"))?;
        work().map_err(|e| prefixed(&e))
    }

    fn resolve(&mut self, _: Env, output: T) -> napi::Result<T> {
        Ok(output)
    }
}

/// See `SweepReport` in src/native.ts.
#[napi(object)]
pub struct JsSweepReport {
    /// Runs that were ended.
    pub ended: Vec<String>,
    /// Output files in use.
    pub live_outputs: Vec<String>,
}

/// Ends what hosts that are gone left behind.
#[napi(ts_return_type = "Promise<JsSweepReport>")]
pub fn sweep(output_base: String) -> AsyncTask<Work<JsSweepReport>> {
    Work::new(move || {
        let report = journal::sweep(&output_base)?;
        Ok(JsSweepReport { ended: report.ended, live_outputs: report.live_outputs })
    })
}

/// See `RunStats` in src/native.ts.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
pub struct JsRunStats {
    pub members: u32,
    pub cpu_ms: f64,
    pub resident_bytes: f64,
    pub age_ms: f64,
    pub output_bytes: f64,
    pub last_output_at_ms: Option<f64>,
}

/// Measures the members of a run.
#[napi(ts_return_type = "Promise<JsRunStats | null>")]
pub fn stats(id: String) -> AsyncTask<Work<Option<JsRunStats>>> {
    Work::new(
        move || Ok(measurable(&id).and_then(|(supervisor, started, output)| measure(supervisor, started, output))),
    )
}

fn measure(supervisor: Option<i32>, started_at_ms: f64, output_path: Option<String>) -> Option<JsRunStats> {
    let (members, cpu_ms, resident_bytes) = match supervisor {
        Some(supervisor) => measure_below(supervisor)?,
        None => (0, 0, 0),
    };
    let file = output_path.and_then(|path| std::fs::symlink_metadata(path).ok());
    let written_at = file.as_ref().filter(|f| f.len() > 0).and_then(|f| f.modified().ok());
    let since_epoch = written_at.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    Some(JsRunStats {
        members,
        cpu_ms: float(cpu_ms),
        resident_bytes: float(resident_bytes),
        age_ms: now_ms() - started_at_ms,
        output_bytes: float(file.map_or(0, |f| f.len())),
        last_output_at_ms: since_epoch.map(|since| float(u64::try_from(since.as_millis()).unwrap_or_default())),
    })
}

/// Number, CPU time in milliseconds and resident bytes of all that descends from `supervisor`. `None`: could not look.
fn measure_below(supervisor: i32) -> Option<(u32, u64, u64)> {
    let mut system = System::new().ok()?;
    let what = ProcessRefreshKind::nothing().with_cpu().with_memory().with_cmd(UpdateKind::Never);
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, what.without_tasks());
    let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
    for (pid, process) in system.processes() {
        if let Some(parent) = process.parent() {
            children.entry(parent).or_default().push(*pid);
        }
    }
    let (mut members, mut cpu_ms, mut resident_bytes) = (0, 0, 0);
    let mut waiting = vec![Pid::from_u32(supervisor.cast_unsigned())];
    let mut seen = HashSet::new();
    while let Some(parent) = waiting.pop() {
        for pid in children.get(&parent).into_iter().flatten().filter(|pid| seen.insert(**pid)) {
            if let Some(process) = system.process(*pid) {
                members += 1;
                cpu_ms += process.accumulated_cpu_time();
                resident_bytes += process.memory();
            }
            waiting.push(*pid);
        }
    }
    Some((members, cpu_ms, resident_bytes))
}
