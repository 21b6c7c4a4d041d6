//! Where the documents of a role lie: by convention, or where a field of the manifest says.

use super::open::Library;
use super::refuse::{asked, ill_typed, refuse};
use super::search::{Found, search, wildcards};
use super::shelve::{add, insert, view};
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::{Document, Kind as NodeKind, NodeId};
use crate::ir::fate::Fate;
use crate::ir::manifest::{NodeRef, Readers};
use crate::ir::path::RelPath;
use crate::ir::snapshot::Kind;
use crate::rulebook::rules::{Find, Place, Role, Source, Walk};

/// Who looks, and what a field says where.
#[derive(Clone, Copy)]
pub(super) struct Look<'r> {
    pub(super) role: &'r Role,
    pub(super) find: &'r Find,
    pub(super) readers: Readers,
    /// The node that named it.
    pub(super) node: Option<NodeRef>,
    /// The entry of a map that the path stands in.
    pub(super) entry: Option<NodeRef>,
}

/// Finds the documents of a role.
pub(super) fn role(library: &mut Library, source: &Source, role: &Role, readers: Readers) {
    let fields: Vec<Vec<NodeRef>> =
        role.finds.iter().map(|find| fields(library, source, find)).collect();
    let replaced = role
        .finds
        .iter()
        .zip(&fields)
        .find_map(|(find, nodes)| Some((find, *nodes.first().filter(|_| find.replace)?)));
    for (find, nodes) in role.finds.iter().zip(&fields) {
        let look = Look { role, find, readers, node: nodes.first().copied(), entry: None };
        let by_field = matches!(find.place, Place::Field(_));
        if let Some((by, node)) = replaced.filter(|_| !by_field) {
            tell_replaced(library, &look, by, node);
            continue;
        }
        if !allowed(library, source, find) {
            continue;
        }
        match &find.place {
            Place::At(path) => at(library, &look, path),
            Place::Below(folder) => below(library, &look, folder),
            Place::Field(_) => {
                for &node in nodes {
                    named(library, &Look { node: Some(node), ..look }, node);
                }
            }
        }
    }
}

/// The document of a role that lies where somebody says.
pub(super) fn placed(library: &mut Library, role: &Role, path: &RelPath, readers: Readers) {
    if let Some(find) = role.finds.first() {
        at(library, &Look { role, find, readers, node: None, entry: None }, path);
    }
}

/// The nodes of a field that are there, in the manifest and in an entry beside it; one that is null is not.
fn fields(library: &Library, source: &Source, find: &Find) -> Vec<NodeRef> {
    let Place::Field(keys) = &find.place else { return Vec::new() };
    let scope = library.scope(source);
    let manifest = library.manifest();
    let entry = library.entry.filter(|entry| Some(*entry) != manifest);
    let follow = |root: NodeRef| keys.iter().try_fold(root, |at, key| scope.child(at, key));
    let is_there = |at: &NodeRef| !matches!(scope.kind(*at), NodeKind::Null);
    manifest.into_iter().chain(entry).filter_map(follow).filter(is_there).collect()
}

fn allowed(library: &Library, source: &Source, find: &Find) -> bool {
    find.when.as_ref().is_none_or(|when| library.scope(source).holds(when))
}

fn tell_replaced(library: &mut Library, look: &Look<'_>, by: &Find, node: NodeRef) {
    let (Place::At(path) | Place::Below(path)) = &look.find.place else { return };
    if matches!(library.kind(path), Kind::Missing) || !look.readers.source {
        return;
    }
    // A field that names the default folder replaces it by itself.
    let manifest = library.documents.get(node.document as usize);
    let names_it = |leaf| {
        manifest
            .and_then(|document: &Document| document.text_of(leaf))
            .and_then(|text| RelPath::parse(text).ok())
    };
    let leaves = library
        .documents
        .get(node.document as usize)
        .map(|document| document.leaves(node.node))
        .unwrap_or_default();
    if leaves.into_iter().any(|leaf| {
        names_it(leaf).is_some_and(|named| named == *path || named.below(path).is_some())
    }) {
        return;
    }
    if let (Some(code), Some(origin)) = (&by.replaced, library.origin(node)) {
        let told =
            Diagnostic::new(code.clone(), origin).with("folder", path.as_str()).fate(Fate::Inert);
        library.diagnostics.tell_once(path.as_str(), told);
    }
}

fn at(library: &mut Library, look: &Look<'_>, path: &RelPath) {
    match library.kind(path) {
        Kind::Missing | Kind::Folder => {}
        _ => add(library, look, &path.parent().unwrap_or_default(), &Found::file(path)),
    }
}

fn below(library: &mut Library, look: &Look<'_>, folder: &RelPath) {
    let Some(walk) = &look.find.walk else { return };
    match library.kind(folder) {
        Kind::Folder => {
            for found in search(library, look, folder, walk) {
                add(library, look, folder, &found);
            }
        }
        Kind::Missing | Kind::File { .. } => {}
        _ => tell_folder(library, look, folder),
    }
}

pub(super) fn tell_folder(library: &mut Library, look: &Look<'_>, folder: &RelPath) {
    if look.readers.source {
        let origin = crate::ir::origin::Origin::file(folder.as_str());
        library.diagnostics.tell_once(
            folder.as_str(),
            Diagnostic::new(Code::new("document/folder-unreadable"), origin)
                .fate(Fate::Unsupported),
        );
    }
}

/// What a field names: a path, the document itself, or a list of such.
fn named(library: &mut Library, look: &Look<'_>, node: NodeRef) {
    let Some(document) = library.documents.get(node.document as usize) else { return };
    let kind = document.kind(node.node).clone();
    let children: Vec<NodeId> = document.children(node.node).collect();
    let odd = look.find.path_key.as_ref().and_then(|_| odd_one(document, node.node));
    match kind {
        NodeKind::List if look.find.list => {
            if children.is_empty() {
                asked(library, look, node, Fate::Exact);
            }
            for child in children {
                let child = NodeRef { node: child, ..node };
                if odd == Some(child.node) {
                    ill_typed(library, look, child);
                } else {
                    one(library, &Look { node: Some(child), ..*look }, child, true);
                }
            }
        }
        NodeKind::Map if look.find.entries.is_some() => {
            for child in children {
                entry(library, look, NodeRef { node: child, ..node });
            }
        }
        _ => one(library, look, node, false),
    }
}

/// An entry of a map of which one key holds the path.
fn entry(library: &mut Library, look: &Look<'_>, entry: NodeRef) {
    let Some(key) = &look.find.entries else { return };
    let Some(document) = library.documents.get(entry.document as usize) else { return };
    let Some(node) = document.get(entry.node, key) else { return };
    if let Some(text) = document.text_of(node).map(str::to_owned) {
        let look = Look { entry: Some(entry), ..*look };
        path(library, &look, NodeRef { node, ..entry }, &text);
    }
}

/// Paths and objects that hold one do not stand side by side: the first element that is not as those before it.
fn odd_one(document: &Document, list: NodeId) -> Option<NodeId> {
    let is_text = |node: &NodeId| match document.kind(*node) {
        NodeKind::Text(_) => Some(true),
        NodeKind::Map => Some(false),
        _ => None,
    };
    let mut told = document.children(list).filter_map(|node| Some((node, is_text(&node)?)));
    let (_, first) = told.next()?;
    told.find(|(_, one)| *one != first).map(|(node, _)| node)
}

fn one(library: &mut Library, look: &Look<'_>, node: NodeRef, listed: bool) {
    let Some(document) = library.documents.get(node.document as usize) else { return };
    let path_key = look.find.path_key.as_ref().filter(|_| listed);
    match document.kind(node.node) {
        NodeKind::Text(text) if look.find.path => {
            let text = text.to_string();
            path(library, look, node, &text);
        }
        NodeKind::Map => {
            let by_key = path_key.and_then(|key| document.get(node.node, key));
            let text = by_key.and_then(|key| document.text_of(key).map(str::to_owned));
            let is_null = by_key.is_some_and(|key| matches!(document.kind(key), NodeKind::Null));
            if let Some((key, text)) = by_key.zip(text) {
                path(library, look, NodeRef { node: key, ..node }, &text);
            } else if path_key.is_some() && (by_key.is_none() || is_null) {
                root(library, look, NodeRef { node: by_key.unwrap_or(node.node), ..node });
            } else if look.find.inline {
                let view = view(look, node, RelPath::root(), RelPath::root());
                insert(library, look, view);
            } else {
                ill_typed(library, look, node);
            }
        }
        NodeKind::Null if path_key.is_some() => root(library, look, node),
        NodeKind::Null if !listed => {}
        _ => ill_typed(library, look, node),
    }
}

/// An object that names no path means the root. It is noted as known, so that its keys are unknown one by one.
fn root(library: &mut Library, look: &Look<'_>, node: NodeRef) {
    let before = library.asked.len();
    path(library, look, node, "");
    let document = library.documents.get(node.document as usize);
    if document.is_some_and(|document| !document.is_leaf(node.node)) {
        library.asked.truncate(before);
        library.asked.push((node, Fate::Inert));
    }
}

fn path(library: &mut Library, look: &Look<'_>, node: NodeRef, text: &str) {
    let nothing = crate::ir::origin::Origin::file("");
    let shown = shown(text);
    let told = |code: &str, fate| {
        Diagnostic::new(Code::new(code), nothing.clone()).with("path", shown).fate(fate)
    };
    if text.contains("://") {
        return refuse(library, look, node, told("path/is-url", Fate::Unsupported));
    }
    let Ok(path) = RelPath::parse(text) else {
        return refuse(library, look, node, told("path/leaves-root", Fate::Refused));
    };
    if look.find.glob && text.contains(['*', '?', '[']) {
        return pattern(library, look, node, text, &path);
    }
    match (library.kind(&path), &look.find.walk) {
        (Kind::Missing | Kind::Dangling, _) => {
            let code = look.find.missing.clone().unwrap_or_else(|| Code::new("path/missing"));
            let fate = if library.strict { Fate::Adapted } else { Fate::Unsupported };
            let mut one = told("path/missing", fate);
            one.code = code;
            refuse(library, look, node, one);
        }
        (Kind::Outside, _) => refuse(library, look, node, told("path/leaves-root", Fate::Refused)),
        (Kind::File { .. }, _) if look.find.folders => {}
        // Where wildcards may stand, files are named that nobody opens.
        (Kind::File { .. }, None) if !look.find.glob && path.extension() != Some("json") => {
            refuse(library, look, node, told("path/not-json", Fate::Unsupported));
        }
        (Kind::File { .. }, walk) => {
            asked(library, look, node, Fate::Exact);
            let is_folder_file = walk
                .as_ref()
                .and_then(|walk| walk.folder.as_deref())
                .is_some_and(|file| file == path.name());
            let parent = path.parent().unwrap_or_default();
            let mut found = Found { loose: true, ..Found::file(&path) };
            if is_folder_file {
                found.component = parent.clone();
            }
            add(library, look, &parent, &found);
        }
        (Kind::Folder, Some(walk)) if look.entry.is_none() => {
            folder(library, look, node, text, &path, walk);
        }
        (Kind::Folder, _) => {
            refuse(library, look, node, told("path/is-folder", Fate::Unsupported));
        }
        _ => refuse(library, look, node, told("path/unreadable", Fate::Unsupported)),
    }
}

/// An empty path is the package.
fn shown(text: &str) -> &str {
    if text.trim().is_empty() { "." } else { text }
}

/// A folder that a field names: what a walk finds in it, which may be the folder itself.
fn folder(
    library: &mut Library,
    look: &Look<'_>,
    node: NodeRef,
    text: &str,
    path: &RelPath,
    walk: &Walk,
) {
    asked(library, look, node, Fate::Exact);
    let walk = Walk { itself: true, ..walk.clone() };
    let found = search(library, look, path, &walk);
    let named = if path.is_root() { "." } else { text };
    if let Some(origin) = library.origin(node).filter(|_| found.is_empty() && look.readers.source) {
        let told = Diagnostic::new(Code::new("path/empty"), origin).with("path", named);
        library.diagnostics.tell(told.fate(Fate::Adapted));
    }
    for found in found {
        add(library, look, path, &found);
    }
}

/// A path with wildcards: the files that it names.
fn pattern(library: &mut Library, look: &Look<'_>, node: NodeRef, text: &str, path: &RelPath) {
    let nothing = crate::ir::origin::Origin::file("");
    let told = |code: &str, fate| {
        Diagnostic::new(Code::new(code), nothing.clone()).with("path", text).fate(fate)
    };
    let Ok(found) = wildcards(library, path) else {
        return refuse(library, look, node, told("path/bad-wildcard", Fate::Unsupported));
    };
    asked(library, look, node, Fate::Exact);
    if found.is_empty() {
        refuse(library, look, node, told("path/matches-nothing", Fate::Adapted));
    }
    for one in found {
        file(library, look, node, &one);
    }
}

/// One file that wildcards named: it must be a regular one inside the package.
fn file(library: &mut Library, look: &Look<'_>, node: NodeRef, path: &RelPath) {
    let told = |code: &str, fate| {
        Diagnostic::new(Code::new(code), crate::ir::origin::Origin::file(""))
            .with("path", path.as_str())
            .fate(fate)
    };
    match library.kind(path) {
        Kind::File { .. } => add(
            library,
            look,
            &path.parent().unwrap_or_default(),
            &Found { loose: true, ..Found::file(path) },
        ),
        Kind::Missing | Kind::Dangling => {
            refuse(library, look, node, told("path/missing-native", Fate::Adapted));
        }
        Kind::Outside => refuse(library, look, node, told("path/leaves-root", Fate::Refused)),
        Kind::Folder => refuse(library, look, node, told("path/is-folder", Fate::Unsupported)),
        _ => refuse(library, look, node, told("path/unreadable", Fate::Unsupported)),
    }
}
