//! `Reader`: a git that stays and gives the bytes of one object after another.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{ChildStdout, Stdio};

use super::super::process::Group;
use super::program::git;

/// A running `git cat-file --batch`.
pub(super) struct Reader {
    group: Group,
    out: BufReader<ChildStdout>,
}

/// What an object is to whoever reads it.
pub(super) enum Object {
    Bytes(Vec<u8>),
    TooLarge(u64),
    Missing,
}

impl Reader {
    /// Starts one for a repository.
    pub(super) fn start(folder: &Path) -> Option<Self> {
        let mut command = git(folder);
        command.args(["cat-file", "--batch"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut group = Group::spawn(&mut command).ok()?;
        let out = BufReader::new(group.0.stdout.take()?);
        Some(Reader { group, out })
    }

    /// The bytes of an object, at most `limit`. Nothing if this reader is of no more use.
    pub(super) fn read(&mut self, id: &str, limit: u64) -> Option<Object> {
        let asked = self.group.0.stdin.as_mut()?;
        asked.write_all(format!("{id}\n").as_bytes()).ok()?;
        asked.flush().ok()?;
        let mut line = String::new();
        // A line is an id, a kind and a size.
        self.out.by_ref().take(1024).read_line(&mut line).ok()?;
        let mut words = line.split_whitespace();
        let (_, kind, size) = (words.next()?, words.next()?, words.next());
        if kind == "missing" {
            return Some(Object::Missing);
        }
        let size: u64 = size?.parse().ok()?;
        let mut content = self.out.by_ref().take(size + 1);
        if size > limit {
            std::io::copy(&mut content, &mut std::io::sink()).ok()?;
            return Some(Object::TooLarge(size));
        }
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes).ok()?;
        // Behind the bytes a line ends.
        bytes.pop();
        (bytes.len() as u64 == size).then_some(Object::Bytes(bytes))
    }
}
