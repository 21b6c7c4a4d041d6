//! What lies below a folder, as a walk or wildcards say.

use super::find::{Look, tell_folder};
use super::open::Library;
use crate::ir::path::RelPath;
use crate::ir::snapshot::{Kind, Listed};
use crate::rulebook::builtin::server::is_portable_name;
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
            Some(entries) => way.take(library, folder, &entries, level, link),
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
        library: &Library,
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
