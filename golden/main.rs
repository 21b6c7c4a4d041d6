//! The specification by example, and tests that hold the program to its laws.
#![expect(
    clippy::disallowed_methods,
    reason = "the harness reads cases, writes goldens and runs the program"
)]
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod batch;
mod bless;
mod cache;
mod cli;
mod compile;
mod convert;
mod docs;
mod fetch;
mod grammar;
mod hostile;
mod html;
mod laws;
mod market;
mod mutate;
mod native;
mod progress;
mod reject;
mod shard;
