//! An entry of a list of plugins over the plugin's own manifest.

use std::sync::Arc;

use super::open::Library;
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::{Document, Key, Kind, NodeId};
use crate::ir::fate::Fate;
use crate::ir::manifest::{NodeRef, Readers, View};
use crate::ir::path::RelPath;
use crate::rulebook::lists::{Beside, Lists};

/// Lays an entry over what the package says of itself: it is the manifest where there is none and the host lets it be;
/// else some of its keys count beside it.
pub(super) fn lay(library: &mut Library, entry: &Document, lists: &Lists) {
    let named = |all: &[Arc<str>], key: &str| all.iter().any(|known| **known == *key);
    let is_unread = |key: &str| named(&lists.inline, key) && !is_map(entry, key);
    let besides = |key: &str| lists.beside.iter().any(|(known, _)| **known == *key);
    if let Some(manifest) = library.manifest() {
        let is_beside = |key: &str| (besides(key) || named(&lists.said, key)) && !is_unread(key);
        let beside = library.push(entry.part(Document::ROOT, is_beside));
        library.entry = Some(beside);
        exclude(library, entry, lists, manifest);
        let ignored = library.push(entry.part(Document::ROOT, |key| named(&lists.ignored, key)));
        pass_over(library, ignored, "marketplace/entry-field-ignored");
        let unread = library.push(entry.part(Document::ROOT, is_unread));
        pass_over(library, unread, "marketplace/entry-not-inline");
    } else if lists.whole {
        let is_said = |key: &str| !named(&lists.listing, key) && !is_unread(key);
        let at = library.push(entry.part(Document::ROOT, is_said));
        library.entry = Some(at);
        library.views.push(View {
            role: "manifest".to_owned(),
            start: at,
            root: RelPath::root(),
            path: RelPath::root(),
            inline: true,
            entry: None,
            named: false,
            loose: false,
            link: false,
            depth: 0,
            readers: Readers { source: true, target: false },
            discarded: None,
        });
        let unread = library.push(entry.part(Document::ROOT, is_unread));
        pass_over(library, unread, "marketplace/entry-not-inline");
    }
}

/// Is there nothing at a key of an entry, or an object?
fn is_map(entry: &Document, key: &str) -> bool {
    let node = entry.get(Document::ROOT, key);
    node.is_none_or(|node| matches!(entry.kind(node), Kind::Map | Kind::Null))
}

/// Nothing is loaded where an entry that is not strict has components and the package has a manifest.
fn exclude(library: &mut Library, entry: &Document, lists: &Lists, manifest: NodeRef) {
    let Some(strict) = lists.strict.as_ref().and_then(|key| entry.get(Document::ROOT, key)) else {
        return;
    };
    let is_false = matches!(entry.kind(strict), Kind::Flag(false));
    let mut besides = lists.beside.iter().filter_map(|(key, _)| entry.get(Document::ROOT, key));
    let Some(file) = library.origin(manifest).map(|origin| origin.file) else { return };
    if let (true, Some(other)) = (is_false, besides.next()) {
        let told =
            Diagnostic::new(Code::new("marketplace/conflicting-manifests"), entry.origin(strict));
        let key = if let Key::Name(key) = entry.key(other) { &**key } else { "" };
        let told = told.with("key", key).with("file", &*file).fate(Fate::Unsupported).fatal(true);
        library.diagnostics.tell(told);
        library.fatal = true;
    }
}

/// Says of each key of a document that it is passed over.
fn pass_over(library: &mut Library, at: NodeRef, code: &'static str) {
    let Some(document) = library.documents.get(at.document as usize) else { return };
    for node in document.children(at.node) {
        let Key::Name(field) = document.key(node) else { continue };
        let told = Diagnostic::new(Code::new(code), document.origin(node)).with("field", &**field);
        library.diagnostics.tell(told.fate(Fate::Inert));
    }
    let leaves = document.leaves(at.node);
    library
        .asked
        .extend(leaves.into_iter().map(|leaf| (NodeRef { node: leaf, ..at }, Fate::Inert)));
}

/// Where the entry has a key of a field that is replaced by key, the manifest's and its files' keys of that name are shadowed.
pub(super) fn replace(library: &mut Library, lists: Option<&Lists>) {
    let (Some(lists), Some(entry)) = (lists, library.entry) else { return };
    if library.manifest() == Some(entry) {
        return;
    }
    for (field, _) in lists.beside.iter().filter(|(_, how)| *how == Beside::ReplaceByKey) {
        let Some(document) = library.documents.get(entry.document as usize) else { return };
        let Some(node) = document.get(entry.node, field) else { continue };
        let keys: Vec<(String, NodeId)> = document
            .children(node)
            .filter_map(|child| match document.key(child) {
                Key::Name(name) => Some((name.to_string(), child)),
                _ => None,
            })
            .collect();
        let place = NodeRef { node, ..entry };
        let role =
            library.views.iter().find(|view| view.start == place).map(|view| view.role.clone());
        let starts: Vec<NodeRef> = library
            .views
            .iter()
            .filter(|view| Some(&view.role) == role.as_ref() && view.start != place)
            .map(|view| view.start)
            .collect();
        for (key, child) in keys {
            shadow(library, &starts, field, &key, NodeRef { node: child, ..entry });
        }
    }
}

fn shadow(library: &mut Library, starts: &[NodeRef], field: &str, key: &str, by: NodeRef) {
    let mut is_one = false;
    for start in starts {
        let Some(document) = library.documents.get_mut(start.document as usize) else { continue };
        // The keys stand at the top, or under the field's own name.
        let below = document.get(start.node, field).unwrap_or(start.node);
        if let Some(old) = document.get(below, key) {
            let leaves = document.leaves(old).into_iter();
            let leaves = leaves.map(|node| (NodeRef { node, ..*start }, Fate::Inert));
            library.asked.extend(leaves);
            document.shadow(old);
            is_one = true;
        }
    }
    if let (true, Some(origin)) = (is_one, library.origin(by)) {
        let told = Diagnostic::new(Code::new("marketplace/hooks-replaced"), origin);
        library.diagnostics.tell(told.with("event", key).fate(Fate::Exact));
    }
}
