//! `Package`: the files that a plan makes, before they are anywhere.

use std::collections::BTreeMap;

use super::path::RelPath;
use super::snapshot::Kind;

/// The files of a package by their paths below its root. What is copied still lies in the snapshot it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Package {
    /// Every file.
    pub files: BTreeMap<RelPath, Made>,
    /// What a copy passed over, by its old path, and what it is: links that lead nowhere we may go, pipes, what may
    /// not be looked at.
    pub left_out: Vec<(RelPath, Kind)>,
}

/// A file to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// What is in it.
    pub content: Content,
    /// Whether it may be executed.
    pub executable: bool,
}

/// What is in a file to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// These bytes.
    Bytes(Vec<u8>),
    /// What lies at a path of the old package, however large.
    Copied(RelPath),
}
