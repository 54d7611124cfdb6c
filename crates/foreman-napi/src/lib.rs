//! The addon.
