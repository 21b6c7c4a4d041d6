//! An entry of a list of plugins over the plugin's own manifest.

use super::open::Library;
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::{Document, Key, NodeId};
use crate::ir::fate::Fate;
use crate::ir::manifest::{NodeRef, Readers, View};
use crate::ir::path::RelPath;
use crate::rulebook::rules::{Beside, Lists};

/// Lays an entry over what the package says of itself: it is the manifest where there is none and the host lets it be;
/// else some of its keys count beside it.
pub(super) fn lay(library: &mut Library, entry: &Document, lists: &Lists) {
    let is_one_of =
        |all: &[std::sync::Arc<str>], key: &str| all.iter().any(|known| **known == *key);
    if library.manifest().is_some() {
        let besides = |key: &str| lists.beside.iter().any(|(known, _)| **known == *key);
        library.entry = Some(library.push(entry.part(Document::ROOT, besides)));
        let ignored =
            library.push(entry.part(Document::ROOT, |key| is_one_of(&lists.ignored, key)));
        ignore(library, ignored);
    } else if lists.whole {
        let at = library.push(entry.part(Document::ROOT, |key| !is_one_of(&lists.listing, key)));
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
    }
}

/// Says of each key of a document that it is passed over.
fn ignore(library: &mut Library, at: NodeRef) {
    let Some(document) = library.documents.get(at.document as usize) else { return };
    let code = Code::new("marketplace/entry-field-ignored");
    for node in document.children(at.node) {
        let Key::Name(field) = document.key(node) else { continue };
        let told = Diagnostic::new(code.clone(), document.origin(node)).with("field", &**field);
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
            document.shadow(old);
            is_one = true;
        }
    }
    if let (true, Some(origin)) = (is_one, library.origin(by)) {
        let told = Diagnostic::new(Code::new("marketplace/hooks-replaced"), origin);
        library.diagnostics.tell(told.with("event", key).fate(Fate::Exact));
    }
}
