//! The two ends: the only folder that touches the disk or starts a program.
#![expect(clippy::disallowed_methods, reason = "one of the two ends")]

pub mod apply;
pub mod archive;
pub mod below;
pub mod cache;
mod download;
pub mod folder;
mod git;
pub mod memory;
mod process;
pub mod rules;
pub mod single;
pub mod source;
pub mod staged;
mod tree;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// What lies at a path that a person named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A folder.
    Folder,
    /// A regular file.
    File,
    /// Nothing.
    Missing,
    /// A pipe, a device, a socket.
    Other,
}

/// What lies at a path that a person named, links followed.
pub fn what_is(path: &Path) -> What {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => What::Folder,
        Ok(found) if found.is_file() => What::File,
        Ok(_) => What::Other,
        Err(_) => What::Missing,
    }
}

/// A path from the root of the disk, without a look at links.
pub fn absolute(path: &Path) -> Option<PathBuf> {
    std::path::absolute(path).ok()
}

/// Bytes as people write them.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// A new file, or an old one emptied, for a report.
pub fn create(path: &Path) -> std::io::Result<File> {
    File::create(path)
}

/// Does the environment ask for no colour? See <https://no-color.org>.
pub fn no_colour() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}
