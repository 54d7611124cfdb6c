//! Misbehaving child.
fn main() {}
