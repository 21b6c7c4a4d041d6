//! What lies below a folder, as a walk or wildcards say.

use super::find::{Look, tell_folder};
use super::open::Library;
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::fate::Fate;
use crate::ir::origin::Origin;
use crate::ir::path::RelPath;
use crate::ir::snapshot::{Kind, Listed};
use crate::rulebook::builtin::name::is_portable_name;
use crate::rulebook::rules::Walk;

/// A file that was found.
pub(super) struct Found {
    /// The file.
    pub(super) file: RelPath,
    /// The folder it stands for, or the file.
    pub(super) component: RelPath,
    /// How many folders lie between.
    pub(super) depth: usize,
    /// A link leads to it.
    pub(super) link: bool,
    /// A field names the file itself.
    pub(super) loose: bool,
}

impl Found {
    /// A file at a known path.
    pub(super) fn file(path: &RelPath) -> Self {
        Found { file: path.clone(), component: path.clone(), depth: 0, link: false, loose: false }
    }
}

/// What a walk finds below a folder, sorted by path.
pub(super) fn search(
    library: &mut Library,
    look: &Look<'_>,
    root: &RelPath,
    walk: &Walk,
) -> Vec<Found> {
    if let Some(only_if) = &walk.only_if
        && search(library, look, root, only_if).is_empty()
    {
        return Vec::new();
    }
    let trail = vec![library.snapshot.borrow().resolve(root)];
    let mut way = Way { walk, found: Vec::new(), open: vec![(root.clone(), 1, false)], trail };
    while let Some((folder, level, link)) = way.open.pop() {
        let entries = library.snapshot.borrow_mut().list(&folder);
        match entries {
            Some(entries) => way.take(library, look, folder, &entries, level, link),
            None => tell_folder(library, look, &folder),
        }
    }
    way.found.sort_by(|a, b| a.file.cmp(&b.file));
    way.found
}

/// A walk under way.
struct Way<'w> {
    walk: &'w Walk,
    found: Vec<Found>,
    /// Folders to look at: each with its level, and whether a link leads to it.
    open: Vec<(RelPath, usize, bool)>,
    /// Where links have led, so that none is followed round in a circle.
    trail: Vec<RelPath>,
}

impl Way<'_> {
    fn take(
        &mut self,
        library: &mut Library,
        by: &Look<'_>,
        folder: RelPath,
        entries: &[Listed],
        level: usize,
        link: bool,
    ) {
        let walk = self.walk;
        let named =
            walk.folder.as_ref().and_then(|file| entries.iter().find(|entry| entry.name == **file));
        let has_name = !walk.names || folder.is_root() || is_portable_name(folder.name());
        let may_be_one = (level > 1 || walk.itself) && has_name;
        let is_there =
            |entry: &&Listed| !matches!(entry.kind, Kind::Missing | Kind::Dangling | Kind::Folder);
        if let Some(file) = named.filter(|entry| may_be_one && is_there(entry)) {
            let link = link || file.link;
            let file = folder.child(&file.name);
            self.found.push(Found {
                file,
                component: folder,
                depth: level - 1,
                link,
                loose: false,
            });
            return;
        }
        if let Some(wanted) = walk.folder.as_deref().filter(|_| by.readers.source) {
            if may_be_one && named.is_none() {
                tell_misnamed(library, &folder, entries, wanted);
            }
            if level >= walk.depth {
                note_out_of_reach(library, &self.trail, &folder, wanted);
            }
        }
        if walk.folder.is_some() && level >= walk.depth {
            return;
        }
        let seen = |entry: &&Listed| !is_skipped(walk, &entry.name) && (walk.links || !entry.link);
        for entry in entries.iter().rev().filter(seen) {
            let path = folder.child(&entry.name);
            let link = link || entry.link;
            if entry.kind == Kind::Folder {
                if level < walk.depth && !self.goes_round(library, entry, &path) {
                    self.open.push((path, level + 1, link));
                }
            } else if entry.kind != Kind::Missing
                && has_extension(walk, &path)
                && (!walk.names || is_portable_name(path.stem()))
            {
                let file = path.clone();
                self.found.push(Found {
                    file,
                    component: path,
                    depth: level - 1,
                    link,
                    loose: false,
                });
            }
        }
    }

    /// Does a link lead to where the walk has been?
    fn goes_round(&mut self, library: &Library, entry: &Listed, path: &RelPath) -> bool {
        if !entry.link {
            return false;
        }
        let leads_to = library.snapshot.borrow().resolve(path);
        let round =
            self.trail.iter().any(|known| *known == leads_to || known.below(&leads_to).is_some());
        if !round {
            self.trail.push(leads_to);
        }
        round
    }
}

/// Tells a file whose name is the wanted one but for its capitals.
fn tell_misnamed(library: &mut Library, folder: &RelPath, entries: &[Listed], wanted: &str) {
    let is_it = |entry: &&Listed| {
        entry.name.eq_ignore_ascii_case(wanted) && matches!(entry.kind, Kind::File { .. })
    };
    if let Some(entry) = entries.iter().find(is_it) {
        let file = folder.child(&entry.name);
        let told = Diagnostic::new(Code::new("document/misnamed"), Origin::file(file.as_str()))
            .with("name", &*entry.name)
            .with("wanted", wanted)
            .fate(Fate::Unsupported);
        library.diagnostics.tell_once(file.as_str(), told);
    }
}

/// How many levels below its reach a walk looks for what its author may have meant.
const BEYOND: usize = 3;

/// Notes the folders that lie too deep for the walk to find them.
fn note_out_of_reach(library: &mut Library, trail: &[RelPath], end: &RelPath, wanted: &str) {
    let is_passed_over = |name: &str| name.starts_with('.') || name == "node_modules";
    if end.parts().any(is_passed_over) {
        return;
    }
    let mut open = vec![(end.clone(), 0)];
    while let Some((folder, level)) = open.pop() {
        let entries = library.snapshot.borrow_mut().list(&folder).unwrap_or_default();
        let is_there =
            |entry: &Listed| entry.name == wanted && matches!(entry.kind, Kind::File { .. });
        if level > 0 && entries.iter().any(is_there) {
            let file = folder.child(wanted);
            let root = trail.first().map(RelPath::as_str).filter(|root| !root.is_empty());
            let told =
                Diagnostic::new(Code::new("document/out-of-reach"), Origin::file(file.as_str()))
                    .with("name", folder.name())
                    .with("folder", end.as_str())
                    .with("root", root.unwrap_or("."))
                    .fate(Fate::Inert);
            library.beyond.push((end.clone(), told));
        } else if level < BEYOND {
            let is_open = |entry: &&Listed| {
                entry.kind == Kind::Folder && !entry.link && !is_passed_over(&entry.name)
            };
            let below = entries.iter().rev().filter(is_open);
            open.extend(below.map(|entry| (folder.child(&entry.name), level + 1)));
        }
    }
}

fn is_skipped(walk: &Walk, name: &str) -> bool {
    walk.skip.iter().any(|skip| {
        if &**skip == "." { name.starts_with('.') } else { skip.eq_ignore_ascii_case(name) }
    })
}

fn has_extension(walk: &Walk, path: &RelPath) -> bool {
    path.extension()
        .is_some_and(|found| walk.files.iter().any(|wanted| wanted.eq_ignore_ascii_case(found)))
}

/// The paths that a pattern with wildcards names: each part with one is held against the entries of its folder.
pub(super) fn wildcards(
    library: &Library,
    pattern: &RelPath,
) -> Result<Vec<RelPath>, globset::Error> {
    let mut at = vec![RelPath::root()];
    for part in pattern.parts() {
        if !part.contains(['*', '?', '[']) {
            at = at.iter().map(|folder| folder.child(part)).collect();
            continue;
        }
        // `**` is no more than `*` here.
        let matcher = globset::Glob::new(&part.replace("**", "*"))?.compile_matcher();
        let mut next = Vec::new();
        for folder in at {
            if matches!(library.kind(&folder), Kind::Folder)
                && let Some(entries) = library.snapshot.borrow_mut().list(&folder)
            {
                let named = entries.iter().filter(|entry| matcher.is_match(&entry.name));
                next.extend(named.map(|entry| folder.child(&entry.name)));
            }
        }
        at = next;
    }
    Ok(at)
}
