//! The process core of pi-foreman.

pub mod error;
pub mod log;
pub mod shell;

pub use error::{Error, ErrorKind, Result};
