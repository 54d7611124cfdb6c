//! The process core for Node: objects in, objects out, errors with a code. Nothing is decided here.
//!
//! The shapes are described in src/native.ts, the only file that imports this addon.

pub mod background_work;
pub mod errors;
pub mod events;
pub mod logs;
pub mod runs;
pub mod shells;
pub mod spec;
pub mod usage;

use napi_derive::napi;

/// The version of the package this addon belongs to.
#[napi]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
