//! The process core.
