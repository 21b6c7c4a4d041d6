//! SOURCE: a folder, an archive, a single file that is offered where its host would look for it, or a repository.

use std::path::{Path, PathBuf};

use crate::io::below::Shared;
use crate::io::folder::Folder;
use crate::io::single::Single;
use crate::io::source::{Fetch, Opened, there};
use crate::io::{What, archive};
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::fate::{Fate, Verdict};
use crate::ir::origin::Origin;
use crate::ir::path::RelPath;
use crate::ir::plan::Plan;
use crate::ir::route::HostName;
use crate::ir::snapshot::{Files, Snapshot};
use crate::ir::source::web::Web;
use crate::ir::source::{At, Content, Digest, Fault, Identity, Source};
use crate::market::{self, Lister};
use crate::rulebook::{Rulebook, grammar};
use crate::survey::{Wish, nothing, survey};

/// A SOURCE that is there.
pub struct Found {
    /// Its files; nothing if no plugin can be read from it.
    files: Option<Shared>,
    /// The folder on disk that they lie in, if they lie in one.
    folder: Option<PathBuf>,
    /// What they are known by for ever; a folder on disk may change.
    content: Option<Content>,
    /// Whose a single file is.
    host: Option<HostName>,
    /// The file that lists plugins, if that was asked for by its name.
    list: Option<Lister>,
    /// What there is to tell of it, beside what its plugin tells.
    told: Vec<Diagnostic>,
    /// Whether something of it could not be had.
    is_short: bool,
    /// Whether nothing of it may be used, so that there is nothing else to tell.
    is_barred: bool,
}

impl Found {
    fn files(files: Option<Box<dyn Files>>, host: Option<HostName>) -> Self {
        Found {
            files: files.map(Shared::new),
            folder: None,
            content: None,
            list: None,
            host,
            told: Vec::new(),
            is_short: false,
            is_barred: false,
        }
    }

    fn opened(opened: Opened) -> Self {
        let submodules = opened.submodules.iter().map(|one| {
            let origin = Origin::file(one.path.as_str());
            let told = Diagnostic::new(Code::new("source/submodule"), origin);
            told.with("path", one.path.as_str()).fate(Fate::Unsupported)
        });
        let told: Vec<_> = submodules.chain(collided(&opened.collisions)).collect();
        let is_short = !told.is_empty();
        let content = opened.content;
        Found { content, told, is_short, ..Found::files(Some(opened.files), None) }
    }

    /// Files that are there without anybody having named them.
    pub fn here(files: Box<dyn Files>) -> Self {
        Found::files(Some(files), None)
    }

    /// What it is known by for ever, if it is no folder on disk.
    pub fn content(&self) -> Option<&Content> {
        self.content.as_ref()
    }

    /// Was everything had that was asked for so far?
    pub fn is_whole(&self) -> bool {
        !self.is_barred && !self.files.as_ref().is_some_and(Shared::is_denied)
    }

    /// A view of a folder of its files.
    pub fn snapshot(&self, folder: &RelPath) -> Snapshot {
        if let Some(root) = self.folder.as_ref().filter(|_| !folder.is_root()) {
            // Threads that open a folder of their own need not wait for each other.
            let opened = Folder::open(&root.join(folder.as_str()));
            return opened.map_or_else(|_| Snapshot::empty(), |own| Snapshot::new(Box::new(own)));
        }
        let view = |files: &Shared| Snapshot::new(Box::new(files.below(folder.clone())));
        self.files.as_ref().map_or_else(Snapshot::empty, view)
    }

    /// The list of plugins that it is: a folder that is a plugin too is one only if that is wanted.
    pub fn lister(&self, rulebook: &Rulebook, wanted: bool) -> Option<Lister> {
        if self.list.is_some() {
            return self.list.clone();
        }
        let mut snapshot = self.snapshot(&RelPath::root());
        let is_free = wanted || !market::is_plugin(&mut snapshot, rulebook);
        is_free.then(|| market::lister(&mut snapshot, rulebook))?
    }

    /// What becomes of it.
    pub fn plan(&self, rulebook: &Rulebook, wish: &Wish) -> Plan {
        let mut plan = match &self.files {
            Some(_) => {
                let snapshot = self.snapshot(&RelPath::root());
                let from = wish.from.clone().or_else(|| self.host.clone());
                survey(snapshot, rulebook, &Wish { from, ..wish.clone() })
            }
            None => nothing(Snapshot::empty(), rulebook, wish),
        };
        if plan.diagnostics.iter().any(|one| one.code.as_str() == "package/not-a-plugin")
            && let Some(list) = self.lister(rulebook, false)
        {
            let file = list.file.as_str();
            let told = Diagnostic::new(Code::new("package/is-a-marketplace"), Origin::file(file));
            plan.diagnostics = vec![told.with("path", file).fate(Fate::Unsupported)];
        }
        if self.is_barred {
            plan.diagnostics.clear();
        }
        plan.diagnostics.extend(self.told.iter().cloned());
        if self.is_short && plan.verdict == Verdict::Full {
            plan.verdict = Verdict::Partial;
        }
        plan
    }
}

/// The plan of a SOURCE that cannot be read: one that says why.
pub fn refused(fault: Fault, rulebook: &Rulebook, wish: &Wish) -> Plan {
    let mut plan = nothing(Snapshot::empty(), rulebook, wish);
    plan.diagnostics = vec![told(fault)];
    plan
}

fn told(fault: Fault) -> Diagnostic {
    let told = Diagnostic::new(fault.code, Origin::file("")).fate(Fate::Unsupported);
    Diagnostic { words: fault.words, ..told }
}

/// What a SOURCE is known by for ever, if its text alone says so: a folder in a repository at a commit.
pub fn pinned(text: &str) -> Option<Content> {
    if crate::io::what_is(Path::new(text)) != What::Missing {
        return None;
    }
    let Source::Git(git) = grammar::source::source(text).ok()? else { return None };
    let At::Named(revision) = &git.at else { return None };
    let identity = Identity::Commit(revision.commit()?);
    Some(Content { identity, folder: git.path })
}

/// Opens a SOURCE. Whatever exists on disk is meant before anything else.
pub fn open(text: &str, rulebook: &Rulebook, how: &Fetch) -> Result<Found, Fault> {
    let text = if text.is_empty() { "." } else { text };
    let path = Path::new(text);
    let what = crate::io::what_is(path);
    let is_single = what == What::File && !archive::is_archive(path);
    let list = is_single.then(|| listed_by(path, rulebook)).flatten();
    let source = match what {
        What::File if is_single => match &list {
            Some((root, _)) => Source::Local(root.to_string_lossy().into_owned()),
            None => return Ok(single(path, rulebook)),
        },
        What::Other => return Ok(Found::files(None, None)),
        What::Folder | What::File => Source::Local(text.to_owned()),
        What::Missing => grammar::source::source(text).map_err(|fault| {
            let malformed = Fault::absent("source/malformed").with("source", text);
            malformed.with("detail", fault.message).at(fault.at..fault.at + 1)
        })?,
    };
    if let Source::Local(missing) = &source
        && what == What::Missing
    {
        let range = there(missing)..missing.chars().count();
        return Err(Fault::absent("source/not-found").with("path", text).at(range));
    }
    let opened = match crate::io::source::open(&source, how) {
        Err(fault) if fault.exists => {
            return Ok(Found {
                told: vec![told(fault)],
                is_barred: true,
                ..Found::files(None, None)
            });
        }
        opened => opened?,
    };
    let folder = match &source {
        Source::Local(path) if opened.content.is_none() => Some(PathBuf::from(path)),
        _ => None,
    };
    Ok(Found { folder, list: list.map(|(_, list)| list), ..Found::opened(opened) })
}

/// Opens a `.zip` from the web.
pub fn packed(address: &str, digest: Option<&Digest>, how: &Fetch) -> Result<Found, Fault> {
    crate::io::source::packed(&Web::parse(address)?, digest, how).map(Found::opened)
}

/// One diagnostic for all paths of an archive that differ only in capitals.
fn collided(collisions: &[(String, String)]) -> Option<Diagnostic> {
    let ((path, other), rest) = collisions.split_first()?;
    let told = Diagnostic::new(Code::new("source/case-collision"), Origin::file(other.as_str()));
    let told = told.with("path", path).with("other", other).fate(Fate::Partial);
    let also = rest.iter().map(|(_, other)| Origin::file(other.as_str())).collect();
    Some(Diagnostic { also, ..told })
}

/// The folder that a file speaks of if it is a list of plugins, and which list it is.
fn listed_by(path: &Path, rulebook: &Rulebook) -> Option<(PathBuf, Lister)> {
    // From within the folder that it lies in, a file is named without it.
    let full = crate::io::absolute(path)?;
    let parts: Option<Vec<&str>> =
        full.components().map(|part| part.as_os_str().to_str()).collect();
    let list = market::named(&parts?, rulebook)?;
    let depth = list.file.parts().count();
    // What was given is kept as it was given, as far as it goes.
    let short = path.ancestors().nth(depth).filter(|_| path.components().count() > depth);
    let root = short.unwrap_or_else(|| full.ancestors().nth(depth).unwrap_or(&full));
    Some((root.to_owned(), list))
}

/// A single file is read as the host that knows its name; the one that needs no manifest is asked first.
fn single(path: &Path, rulebook: &Rulebook) -> Found {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let hosts = rulebook.writers().map(|one| HostName::parse(&one.host));
    let mut found: Vec<(bool, HostName, RelPath)> = hosts
        .filter_map(|host| {
            let source = rulebook.source(&host)?;
            let (_, place) = source.singles.iter().find(|(known, _)| **known == *name)?;
            Some((!source.fallback, host, place.clone()))
        })
        .collect();
    found.sort();
    let Some((_, host, place)) = found.into_iter().next() else { return Found::files(None, None) };
    let single = Single::open(path, place).ok();
    Found::files(single.map(|single| Box::new(single) as Box<dyn Files>), Some(host))
}
