//! The same plan for every reader.
