//! What lies below a folder, as a walk or wildcards say.

use super::find::{Look, tell_folder};
use super::open::Library;
use crate::ir::path::RelPath;
use crate::ir::snapshot::Kind;
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
pub(super) fn search(library: &mut Library, look: &Look<'_>, root: &RelPath, walk: &Walk) -> Vec<Found> {
    if let Some(only_if) = &walk.only_if
        && search(library, look, root, only_if).is_empty()
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut open = vec![(root.clone(), 1_usize, false)];
    let mut trail = vec![library.snapshot.borrow().resolve(root)];
    while let Some((folder, level, link)) = open.pop() {
        let Some(entries) = library.snapshot.borrow_mut().list(&folder) else {
            tell_folder(library, look, &folder);
            continue;
        };
        let has_file = walk.folder.as_ref().and_then(|file| entries.iter().find(|entry| entry.name == **file));
        let may_be_one = (level > 1 || walk.itself) && (!walk.names || folder.is_root() || is_portable_name(folder.name()));
        if let Some(file) = has_file.filter(|entry| may_be_one && !matches!(entry.kind, Kind::Missing | Kind::Dangling | Kind::Folder)) {
            found.push(Found { file: folder.child(&file.name), component: folder, depth: level - 1, link: link || file.link, loose: false });
            continue;
        }
        if walk.folder.is_some() && level >= walk.depth {
            continue;
        }
        for entry in entries.iter().rev().filter(|entry| !is_skipped(walk, &entry.name) && (walk.links || !entry.link)) {
            let path = folder.child(&entry.name);
            match entry.kind {
                Kind::Folder if level < walk.depth => {
                    if entry.link {
                        let leads_to = library.snapshot.borrow().resolve(&path);
                        if trail.iter().any(|known| *known == leads_to || known.below(&leads_to).is_some()) {
                            continue;
                        }
                        trail.push(leads_to);
                    }
                    open.push((path, level + 1, link || entry.link));
                }
                Kind::File { .. } | Kind::Outside | Kind::Dangling | Kind::Loop | Kind::Special | Kind::Denied if has_extension(walk, &path) && (!walk.names || is_portable_name(path.stem())) => {
                    found.push(Found { component: path.clone(), file: path, depth: level - 1, link: link || entry.link, loose: false });
                }
                _ => {}
            }
        }
    }
    found.sort_by(|a, b| a.file.cmp(&b.file));
    found
}

fn is_skipped(walk: &Walk, name: &str) -> bool {
    walk.skip.iter().any(|skip| if &**skip == "." { name.starts_with('.') } else { skip.eq_ignore_ascii_case(name) })
}

fn has_extension(walk: &Walk, path: &RelPath) -> bool {
    path.extension().is_some_and(|found| walk.files.iter().any(|wanted| wanted.eq_ignore_ascii_case(found)))
}


/// The paths that a pattern with wildcards names: each part with one is held against the entries of its folder.
pub(super) fn wildcards(library: &Library, pattern: &RelPath) -> Result<Vec<RelPath>, globset::Error> {
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
