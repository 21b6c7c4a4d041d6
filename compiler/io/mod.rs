//! The two ends: the only folder that touches the disk or starts a program.
#![expect(clippy::disallowed_methods, reason = "one of the two ends")]

pub mod folder;
pub mod memory;
pub mod single;
