//! The supervisor.
fn main() {}
