//! The same plan for every reader.

mod crop;
pub mod explain;
pub mod html;
pub mod json;
pub mod locate;
pub mod market;
pub mod matrix;
pub mod rules;
pub mod stored;
pub mod text;
pub mod told;
pub mod why;
