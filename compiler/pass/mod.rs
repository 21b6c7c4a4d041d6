//! The steps of the compiler. Pure and total: a value goes in, the next comes out. They do not name each other.

pub mod lift;
pub mod lower;
pub mod parse;
