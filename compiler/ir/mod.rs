//! The forms: what passes from one step of the compiler to the next.
//!
//! Data and the invariants of data, no behaviour. This folder names nothing else of the crate.

pub mod diagnostic;
pub mod document;
pub mod fate;
pub mod manifest;
pub mod market;
pub mod origin;
pub mod package;
pub mod path;
pub mod plan;
pub mod plugin;
pub mod route;
pub mod snapshot;
pub mod source;
pub mod value;
