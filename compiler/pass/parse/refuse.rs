//! What a field names and cannot be used, and what is used to find documents.

use std::fmt::Write as _;

use super::find::Look;
use super::open::Library;
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::{Key, Kind as NodeKind};
use crate::ir::fate::Fate;
use crate::ir::manifest::NodeRef;
use crate::rulebook::rules::Place;

/// Tells that a field, or an element of it, is of another type than the host reads.
pub(super) fn ill_typed(library: &mut Library, look: &Look<'_>, node: NodeRef) {
    let code = look.find.otherwise.clone().unwrap_or_else(|| Code::new("manifest/ill-typed"));
    let mut field = match &look.find.place {
        Place::Field(keys) => keys.join("."),
        _ => String::new(),
    };
    let Some(document) = library.documents.get(node.document as usize) else { return };
    let is_listed = matches!(document.key(node.node), Key::Index(_));
    let wanted = match (look.find.path, look.find.inline, look.find.list && !is_listed) {
        (true, true, true) => "a path, an object, or a list of such",
        (true, true, false) => "a path or an object",
        (true, false, true) => "a path or a list of paths",
        (true, false, false) => "a path",
        (false, ..) => "an object",
    };
    if let Key::Index(at) = document.key(node.node) {
        let _ = write!(field, "[{at}]");
    }
    let told = Diagnostic::new(code, crate::ir::origin::Origin::file(""))
        .with("field", field)
        .with("found", found(document.kind(node.node)))
        .with("wanted", wanted);
    refuse(library, look, node, told.fate(Fate::Unsupported));
}

/// What stands in a place, in words.
fn found(kind: &NodeKind) -> String {
    match kind {
        NodeKind::Null => "`null`".to_owned(),
        NodeKind::Flag(flag) => format!("`{flag}`"),
        NodeKind::Number(number) => format!("the number `{number}`"),
        NodeKind::Text(_) => "a text".to_owned(),
        NodeKind::List => "a list".to_owned(),
        NodeKind::Map => "an object".to_owned(),
    }
}

/// Tells it at the node, which fares accordingly.
pub(super) fn refuse(
    library: &mut Library,
    look: &Look<'_>,
    node: NodeRef,
    mut diagnostic: Diagnostic,
) {
    asked(library, look, node, diagnostic.fate);
    // A strict host refuses the package for a path or a value that it may not have; a missing file is not that.
    diagnostic.fatal = library.strict && look.readers.source && diagnostic.fate.is_loss();
    library.fatal |= diagnostic.fatal;
    if let Some(origin) = library.origin(node).filter(|_| look.readers.source) {
        diagnostic.origin = origin;
        library.diagnostics.tell(diagnostic);
    }
}

/// Only what the source host reads gives a leaf its fate.
pub(super) fn asked(library: &mut Library, look: &Look<'_>, node: NodeRef, fate: Fate) {
    if look.readers.source {
        let leaves = library
            .documents
            .get(node.document as usize)
            .map(|document| document.leaves(node.node))
            .unwrap_or_default();
        library.asked.extend(leaves.into_iter().map(|leaf| (NodeRef { node: leaf, ..node }, fate)));
    }
}
