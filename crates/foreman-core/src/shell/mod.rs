//! Which shell runs a command.
