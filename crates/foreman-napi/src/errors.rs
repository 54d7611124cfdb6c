//! Errors of the core as JavaScript errors whose `code` is the core's code.

use foreman_core::Error;

/// An error whose status becomes `error.code`.
pub type CodedError = napi::Error<&'static str>;

/// Throws with the core's code.
pub fn coded(error: &Error) -> CodedError {
    CodedError::new(error.kind().code(), error.to_string())
}

/// For promises, whose errors cannot carry a status of ours: the code stands before the message, and src/native.ts takes
/// it apart again.
pub fn prefixed(error: &Error) -> napi::Error {
    napi::Error::from_reason(format!("{}: {error}", error.kind().code()))
}
