//! What takes time or touches files: done on a thread of Node's pool, answered by a promise.

use foreman_core::{Error, journal};
use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Task};
use napi_derive::napi;

use crate::errors::prefixed;
use crate::events::float;
use crate::runs::{Measurable, measurable, now_ms};
use crate::usage::usage_of;

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
    Work::new(move || Ok(measurable(&id).and_then(measure)))
}

fn measure(run: Measurable) -> Option<JsRunStats> {
    let (members, cpu_ms, resident_bytes) = match &run.alive {
        Some(alive) => usage_of(alive)?,
        None => (0, 0, 0),
    };
    let file = run.output_path.and_then(|path| std::fs::symlink_metadata(path).ok());
    let written_at = file.as_ref().filter(|f| f.len() > 0).and_then(|f| f.modified().ok());
    let since_epoch = written_at.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    Some(JsRunStats {
        members,
        cpu_ms: float(cpu_ms),
        resident_bytes: float(resident_bytes),
        age_ms: now_ms() - run.started_at_ms,
        output_bytes: float(file.map_or(0, |f| f.len())),
        last_output_at_ms: since_epoch.map(|since| float(u64::try_from(since.as_millis()).unwrap_or_default())),
    })
}
