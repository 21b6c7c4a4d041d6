//! Tests about the code.
