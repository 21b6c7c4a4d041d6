//! git: a folder in a repository, at a commit, read from its objects; nothing is ever checked out.

mod listing;
mod objects;
mod program;
mod reader;
mod remote;
mod store;

use std::fs;
use std::path::Path;
use std::time::Instant;

use super::source::{Fetch, Opened};
use crate::ir::path::RelPath;
use crate::ir::source::{At, Fault, Git, Repository, Revision, Url};
use objects::Objects;
use remote::{Found, Remote, commit_of};

/// A state of a repository that was found, and the folder in it.
struct Pinned {
    commit: String,
    reference: Option<String>,
    path: RelPath,
}

/// Opens a folder in a repository.
pub(super) fn open(asked: &Git, how: &Fetch) -> Result<Opened, Fault> {
    match &asked.repository {
        Repository::Remote(url) => elsewhere(url, asked, how),
        Repository::Local(path) => here(path, asked, how),
    }
}

/// In a repository that is fetched, as far as it is not in the store.
fn elsewhere(url: &Url, asked: &Git, how: &Fetch) -> Result<Opened, Fault> {
    let remote = Remote::new(url, how)?;
    let pinned = pinned(&remote, asked)?;
    let folder = remote.folder.clone();
    let (files, submodules) =
        Objects::open(&folder, Some(remote), &pinned.commit, &pinned.path, asked)?;
    let Pinned { commit, reference, path } = pinned;
    Ok(Opened::commit(Box::new(files), commit, path, reference, submodules))
}

fn pinned(remote: &Remote, asked: &Git) -> Result<Pinned, Fault> {
    let path = asked.path.clone();
    match &asked.at {
        At::Head => {
            let _lock = remote.lock(&"its default branch, which is not pinned to a commit")?;
            Ok(Pinned { commit: remote.fetch("HEAD")?, reference: None, path })
        }
        At::Named(name) => match name.commit() {
            Some(commit) => Ok(Pinned { commit: fetched(remote, &commit)?, reference: None, path }),
            None => named(remote, name, path),
        },
        At::Unparted(parts) => unparted(remote, parts),
    }
}

/// A commit by its id: the one thing that needs no network if it is in the store.
fn fetched(remote: &Remote, commit: &str) -> Result<String, Fault> {
    if remote.has(commit) {
        return Ok(commit.to_owned());
    }
    let _lock = remote.lock(&format!("the commit `{commit}`"))?;
    if !remote.has(commit) {
        let came = remote.fetch(commit)?;
        if came != commit {
            return Err(remote.gone(commit));
        }
    }
    Ok(commit.to_owned())
}

/// A branch before a tag of the same name, as `git clone` has it.
fn named(remote: &Remote, name: &Revision, path: RelPath) -> Result<Pinned, Fault> {
    let _lock = remote.lock(&format!("`{name}`, which is not pinned to a commit"))?;
    let all = remote.references()?;
    let wanted = [name.to_string(), format!("refs/heads/{name}"), format!("refs/tags/{name}")];
    let found = wanted.iter().find_map(|wanted| all.iter().find(|one| one.reference == *wanted));
    match found {
        Some(found) => take(remote, found, path),
        // Others, such as a pull request's, are not listed.
        None if name.as_str().starts_with("refs/") => {
            let commit = remote.fetch(name.as_str())?;
            Ok(Pinned { commit, reference: Some(name.to_string()), path })
        }
        None => Err(remote.gone(name.as_str())),
    }
}

fn take(remote: &Remote, found: &Found, path: RelPath) -> Result<Pinned, Fault> {
    let commit = if remote.has(&found.commit) {
        found.commit.clone()
    } else {
        remote.fetch(&found.reference)?
    };
    Ok(Pinned { commit, reference: Some(found.reference.clone()), path })
}

/// The longest branch or tag that the parts begin with; the rest is the path.
fn unparted(remote: &Remote, parts: &[String]) -> Result<Pinned, Fault> {
    let path = |from: usize| {
        let rest = parts.get(from..).unwrap_or_default();
        rest.iter().fold(RelPath::root(), |folder, part| folder.child(part))
    };
    let first = parts.first().and_then(|first| Revision::parse(first).ok());
    if let Some(commit) = first.and_then(|first| first.commit()) {
        return Ok(Pinned { commit: fetched(remote, &commit)?, reference: None, path: path(1) });
    }
    let text = parts.join("/");
    let _lock = remote.lock(&format!("`{text}`, which is not pinned to a commit"))?;
    let all = remote.references()?;
    for end in (1..=parts.len()).rev() {
        let name = parts.get(..end).unwrap_or_default().join("/");
        for kind in ["heads", "tags"] {
            let full = format!("refs/{kind}/{name}");
            if let Some(found) = all.iter().find(|one| one.reference == full) {
                return take(remote, found, path(end));
            }
        }
    }
    Err(remote.gone(&text))
}

/// In a repository on this disk, whose objects are read where they lie.
fn here(text: &str, asked: &Git, how: &Fetch) -> Result<Opened, Fault> {
    let Ok(folder) = fs::canonicalize(Path::new(text)) else {
        return Err(Fault::absent("source/not-found").with("path", text));
    };
    let name = match &asked.at {
        At::Named(name) => name.as_str(),
        At::Head | At::Unparted(_) => "HEAD",
    };
    let until = Instant::now() + how.limit;
    let commit = commit_of(&folder, name, until)
        .ok_or_else(|| Fault::absent("source/ref-unknown").with("url", text).with("ref", name))?;
    let (files, submodules) = Objects::open(&folder, None, &commit, &asked.path, asked)?;
    Ok(Opened::commit(Box::new(files), commit, asked.path.clone(), None, submodules))
}
