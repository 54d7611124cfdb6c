//! Where output files are, and reading them back, off the JavaScript thread.

use foreman_core::limits::MAX_WINDOW_BYTES;
use foreman_core::{capture, log};
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;

use crate::background_work::Work;
use crate::events::float;
use crate::spec::number;

/// See `Tail` in src/native.ts.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
pub struct JsTail {
    pub text: String,
    pub total_bytes: f64,
    pub from_line_start: bool,
}

/// See `ReadOptions` in src/native.ts.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
pub struct JsReadOptions {
    pub filter: Option<String>,
    pub exclude: Option<bool>,
    pub max_bytes: Option<f64>,
    #[napi(js_name = "final")]
    pub is_final: Option<bool>,
}

/// See `ReadResult` in src/native.ts.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
pub struct JsReadResult {
    pub lines: Vec<String>,
    pub cursor: f64,
    pub omitted_lines: f64,
    pub lines_before_gap: u32,
}

/// The folders that may hold the output of this user.
#[napi]
pub fn output_bases(output_base: String) -> Vec<String> {
    capture::output_bases(&output_base).into()
}

/// The end of a file.
#[napi(ts_return_type = "Promise<JsTail>")]
pub fn tail(path: String, max_bytes: f64) -> AsyncTask<Work<JsTail>> {
    Work::new(move || {
        let max_bytes = number("maxBytes", Some(max_bytes))?.map_or(MAX_WINDOW_BYTES, saturating);
        let tail = log::tail(path.as_ref(), max_bytes)?;
        Ok(JsTail { text: tail.text, total_bytes: float(tail.total_bytes), from_line_start: tail.from_line_start })
    })
}

/// What is new in a file.
#[napi(ts_return_type = "Promise<JsReadResult>")]
pub fn read(path: String, cursor: f64, options: JsReadOptions) -> AsyncTask<Work<JsReadResult>> {
    Work::new(move || {
        let cursor = number("cursor", Some(cursor))?.unwrap_or_default();
        let options = log::ReadOptions {
            filter: options.filter.as_deref(),
            exclude: options.exclude.unwrap_or(false),
            max_bytes: number("maxBytes", options.max_bytes)?.map_or(log::DEFAULT_READ_BYTES, saturating),
            is_final: options.is_final.unwrap_or(false),
        };
        let result = log::read(path.as_ref(), cursor, &options)?;
        Ok(JsReadResult {
            lines: result.lines,
            cursor: float(result.cursor),
            omitted_lines: float(result.omitted_lines),
            lines_before_gap: u32::try_from(result.lines_before_gap).unwrap_or(u32::MAX),
        })
    })
}

fn saturating(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
