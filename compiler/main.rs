//! plugc.
fn main() {}
