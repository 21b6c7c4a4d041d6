//! What git says of a folder's files, without their bytes.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use super::program::{answer, git, unended};
use crate::ir::path::RelPath;
use crate::ir::source::{Fault, Git};

/// How git writes what an entry is.
pub(super) const LINK: &str = "120000";
/// A repository inside the repository.
pub(super) const SUBMODULE: &str = "160000";
/// A folder.
pub(super) const FOLDER: &str = "040000";
/// A file that may be executed.
pub(super) const EXECUTABLE: &str = "100755";

/// One entry of a folder, or of one below it.
pub(super) struct Entry {
    pub(super) mode: String,
    pub(super) id: String,
    /// Its path below the folder that was listed.
    pub(super) path: Vec<u8>,
}

/// Asks git about objects in one repository.
pub(super) struct Asking<'a> {
    pub(super) folder: &'a Path,
    pub(super) asked: &'a Git,
    pub(super) limit: Duration,
}

impl Asking<'_> {
    fn ask(&self, arguments: &[&str], input: String) -> Result<(bool, Vec<u8>), Fault> {
        let mut command = git(self.folder);
        command.args(arguments);
        let ended = answer(command, input.into_bytes(), Instant::now() + self.limit)
            .map_err(|why| unended(why, &self.asked.repository, self.limit))?;
        Ok((ended.status.success(), ended.out))
    }

    /// The id of a folder at a commit, links on the way to it followed; or the ids of links that must be read first.
    pub(super) fn folder_id(
        &self,
        commit: &str,
        path: &RelPath,
    ) -> Result<Result<String, Vec<String>>, Fault> {
        let line =
            if path.is_root() { format!("{commit}^{{tree}}") } else { format!("{commit}:{path}") };
        let (_, out) =
            self.ask(&["cat-file", "--batch-check", "--follow-symlinks"], line + "\n")?;
        let text = String::from_utf8_lossy(&out);
        let mut words = text.split_whitespace();
        if let (Some(id), Some("tree")) = (words.next(), words.next()) {
            return Ok(Ok(id.to_owned()));
        }
        let mut prefixes = vec![path.as_str()];
        while let Some((folder, _)) = prefixes.last().and_then(|last| last.rsplit_once('/')) {
            prefixes.push(folder);
        }
        let arguments = [&["ls-tree", "-z", "--full-tree", commit, "--"][..], &prefixes].concat();
        let (_, out) = self.ask(&arguments, String::new())?;
        let links = entries(&out).into_iter().filter(|entry| entry.mode == LINK);
        Ok(Err(links.map(|entry| entry.id).collect()))
    }

    /// All that lies below a folder, and the folders themselves.
    pub(super) fn entries(&self, folder: &str) -> Result<Vec<Entry>, Fault> {
        let (_, out) =
            self.ask(&["ls-tree", "-r", "-t", "-z", "--full-tree", folder], String::new())?;
        Ok(entries(&out))
    }

    /// The sizes of those of the objects that are there.
    pub(super) fn sizes(
        &self,
        ids: impl Iterator<Item = String>,
    ) -> Result<BTreeMap<String, u64>, Fault> {
        let input = ids.fold(String::new(), |text, id| text + &id + "\n");
        let (_, out) = self.ask(&["cat-file", "--batch-check"], input)?;
        let text = String::from_utf8_lossy(&out);
        let sizes = text.lines().filter_map(|line| {
            let mut words = line.split(' ');
            let (id, _, size) = (words.next()?, words.next()?, words.next()?);
            Some((id.to_owned(), size.parse().ok()?))
        });
        Ok(sizes.collect())
    }
}

fn entries(out: &[u8]) -> Vec<Entry> {
    let lines = out.split(|byte| *byte == 0);
    let entry = |line: &[u8]| {
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let (head, path) = (line.get(..tab)?, line.get(tab + 1..)?);
        let mut words = std::str::from_utf8(head).ok()?.split(' ');
        let (mode, _, id) = (words.next()?, words.next()?, words.next()?);
        Some(Entry { mode: mode.to_owned(), id: id.to_owned(), path: path.to_vec() })
    };
    lines.filter_map(entry).collect()
}
