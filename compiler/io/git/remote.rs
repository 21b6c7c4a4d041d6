//! `Remote`: a repository somewhere else, as far as it is in the store.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::super::source::Fetch;
use super::program::{answer, gist, git, talking, unended};
use super::store::{Lock, Store};
use crate::ir::snapshot::LARGEST_DOCUMENT;
use crate::ir::source::{Fault, Revision, Url};

/// Where a fetched commit is noted, so that git can tell what it is.
const ASKED: &str = "refs/plugc/asked";

/// A repository and its folder in the store.
#[derive(Clone)]
pub(super) struct Remote {
    pub(super) url: Url,
    pub(super) folder: PathBuf,
    pub(super) how: Fetch,
}

/// A branch or tag, in full, and the commit it stands for.
pub(super) struct Found {
    pub(super) reference: String,
    pub(super) commit: String,
}

impl Remote {
    /// A repository that may or may not be in the store yet.
    pub(super) fn new(url: &Url, how: &Fetch) -> Result<Self, Fault> {
        let folder = Store::open(how)?.repository(url);
        Ok(Remote { url: url.clone(), folder, how: how.clone() })
    }

    /// When patience ends, from now.
    pub(super) fn until(&self) -> Instant {
        Instant::now() + self.how.limit
    }

    /// The right to fetch; an error if nothing may be fetched, which says what is missing.
    pub(super) fn lock(&self, missing: &dyn std::fmt::Display) -> Result<Lock, Fault> {
        if self.how.offline {
            let fault = Fault::absent("source/offline").with("url", &self.url);
            return Err(fault.with("missing", missing));
        }
        Store::open(&self.how)?.lock(&self.url, self.until(), &self.how)
    }

    /// Is the commit in the store, with its folders?
    pub(super) fn has(&self, commit: &str) -> bool {
        if !self.folder.is_dir() {
            return false;
        }
        let mut ask = git(&self.folder);
        ask.args(["cat-file", "-e", &format!("{commit}^{{tree}}")]);
        answer(ask, Vec::new(), self.until()).is_ok_and(|ended| ended.status.success())
    }

    /// All branches and tags.
    pub(super) fn references(&self) -> Result<Vec<Found>, Fault> {
        let (done, told, out) =
            self.network(&["ls-remote", "--quiet", "--heads", "--tags", "origin"], &[])?;
        if !done {
            return Err(self.unreachable(&told));
        }
        let text = String::from_utf8_lossy(&out);
        let mut found: Vec<Found> = Vec::new();
        for (commit, reference) in text.lines().filter_map(|line| line.split_once('\t')) {
            let (commit, reference) = (commit.to_owned(), reference.to_owned());
            match (reference.strip_suffix("^{}"), found.last_mut()) {
                // What an annotated tag stands for comes right behind it.
                (Some(tag), Some(last)) if last.reference == tag => last.commit = commit,
                _ => found.push(Found { reference, commit }),
            }
        }
        Ok(found)
    }

    /// Fetches a commit, by its id or by what stands for it, and gives its id.
    pub(super) fn fetch(&self, what: &str) -> Result<String, Fault> {
        let spec = format!("+{what}:{ASKED}");
        let mut told = self.fetched(&["--depth=1", "--filter=blob:none"], &[&spec])?;
        if told.as_deref().is_some_and(|told| told.contains("filter")) {
            told = self.fetched(&["--depth=1"], &[&spec])?;
        }
        if told.as_deref().is_some_and(|told| told.contains("unadvertised object")) {
            // What is reachable may be had after all, with its history.
            let all = ["+refs/heads/*:refs/plugc/heads/*", "+refs/tags/*:refs/plugc/tags/*"];
            told = self.fetched(&["--depth=2147483647", "--filter=blob:none"], &all)?;
            if told.is_none() && self.has(what) {
                return Ok(what.to_owned());
            }
            told = told.or_else(|| Some("not our ref".to_owned()));
        }
        match told {
            None => self.commit_of(ASKED).ok_or_else(|| self.unreachable("it holds no commit")),
            Some(told) if is_gone(&told) => Err(self.gone(what)),
            Some(told) => Err(self.unreachable(&told)),
        }
    }

    /// The id of the commit that something in the store stands for.
    pub(super) fn commit_of(&self, what: &str) -> Option<String> {
        commit_of(&self.folder, what, self.until())
    }

    /// Fetches the files below a folder in one go, but for those that are too large to be documents.
    pub(super) fn fetch_folder(&self, tree: &str, commit: &str) -> Result<(), Fault> {
        let filter = format!("--filter=blob:limit={}", LARGEST_DOCUMENT + 1);
        // The folder itself is there already; only a fetch that takes nothing for granted asks for it again.
        if self.fetched(&["--refetch", &filter], &[tree])?.is_none() {
            return Ok(());
        }
        // An older git, or a server that knows no such limit.
        let missing = self.missing(tree).unwrap_or_default();
        let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
        if self.fetched(&["--filter=blob:none"], &missing)?.is_none() {
            return Ok(());
        }
        // A server that leaves out files and then gives none by its id: the commit comes again, with all it has.
        match self.fetched(&["--refetch", "--depth=1", "--no-filter"], &[commit])? {
            None => Ok(()),
            Some(told) => Err(self.unreachable(&told)),
        }
    }

    /// What is not there of all that lies below a folder.
    fn missing(&self, tree: &str) -> Option<Vec<String>> {
        let mut ask = git(&self.folder);
        ask.args(["rev-list", "--objects", "--no-object-names", "--missing=print", tree]);
        let ended = answer(ask, Vec::new(), self.until()).ok()?;
        let text = String::from_utf8(ended.out).ok()?;
        Some(text.lines().filter_map(|line| line.strip_prefix('?')).map(str::to_owned).collect())
    }

    /// Fetches single files in one go.
    pub(super) fn fetch_files(&self, ids: &[String]) -> Result<(), Fault> {
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        match self.fetched(&["--filter=blob:none"], &ids)? {
            None => Ok(()),
            Some(told) => Err(self.unreachable(&told)),
        }
    }

    /// Runs a fetch; what it said if it failed.
    fn fetched(&self, options: &[&str], what: &[&str]) -> Result<Option<String>, Fault> {
        let fixed = ["-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags"];
        let rest = ["--no-write-fetch-head", "--no-auto-gc", "--stdin"];
        let arguments = [&fixed[..], &rest, options, &["origin"]].concat();
        let (done, told, _) = self.network(&arguments, what)?;
        Ok((!done).then_some(told))
    }

    /// Runs a git that talks to the repository, and gives it lines to read.
    fn network(
        &self,
        arguments: &[&str],
        lines: &[&str],
    ) -> Result<(bool, String, Vec<u8>), Fault> {
        let until = self.until();
        let mut command = talking(&self.folder, &self.url, until, self.how.limit);
        command.args(arguments);
        let input = lines.iter().fold(String::new(), |text, line| text + line + "\n");
        let ended = answer(command, input.into_bytes(), until)
            .map_err(|why| unended(why, &self.url, self.how.limit))?;
        Ok((ended.status.success(), ended.told, ended.out))
    }

    /// There is no such branch, tag or commit.
    pub(super) fn gone(&self, what: &str) -> Fault {
        let is_commit = Revision::parse(what).is_ok_and(|what| what.commit().is_some());
        let code = if is_commit { "source/commit-gone" } else { "source/ref-unknown" };
        Fault::absent(code).with("url", &self.url).with("ref", what)
    }

    fn unreachable(&self, told: &str) -> Fault {
        Fault::absent("source/unreachable").with("url", &self.url).with("detail", gist(told))
    }
}

/// Does git say that what was asked for is not there?
fn is_gone(told: &str) -> bool {
    ["couldn't find remote ref", "not our ref", "unadvertised object"]
        .iter()
        .any(|words| told.contains(words))
}

/// The id of the commit that a revision stands for in a repository on disk.
pub(super) fn commit_of(folder: &Path, what: &str, until: Instant) -> Option<String> {
    let mut ask = git(folder);
    ask.args([
        "rev-parse",
        "--quiet",
        "--verify",
        "--end-of-options",
        &format!("{what}^{{commit}}"),
    ]);
    let ended = answer(ask, Vec::new(), until).ok().filter(|ended| ended.status.success())?;
    let id = String::from_utf8(ended.out).ok()?.trim().to_owned();
    Revision::parse(&id).ok()?.commit()
}
