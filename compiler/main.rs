//! The program: arguments to the library, the library's answer to the exit status.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(plugc::cli::run())
}

/// Compiling makes many small things and drops them again, on every core.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
