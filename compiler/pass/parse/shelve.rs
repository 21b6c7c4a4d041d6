//! Documents in their roles: each place counts once, however often it is reached.

use super::find::Look;
use super::front;
use super::open::Library;
use super::search::Found;
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::Document;
use crate::ir::fate::Fate;
use crate::ir::manifest::{NodeRef, View};
use crate::ir::origin::Origin;
use crate::ir::path::RelPath;
use crate::ir::snapshot::Kind;

/// A document that a look reached, with the object inside of another as the usual case left open.
pub(super) fn view(look: &Look<'_>, start: NodeRef, root: RelPath, path: RelPath) -> View {
    View {
        role: look.role.name.to_string(),
        start,
        root,
        path,
        inline: true,
        named: look.node.is_some(),
        entry: look.entry,
        loose: false,
        link: false,
        depth: 0,
        readers: look.readers,
        discarded: None,
    }
}

/// Reads a file and adds it in the role; a file that holds nothing but the path of another stands for that.
pub(super) fn add(library: &mut Library, look: &Look<'_>, root: &RelPath, found: &Found) {
    let file = &found.file;
    let document = library.open(file);
    let leads_to = library.documents.get(document as usize).and_then(|document| {
        let text = document.body_text().filter(|_| document.is_empty())?;
        file.parent()?.join(front::link_text(text)?).ok()
    });
    let start = NodeRef { document, node: Document::ROOT };
    let mut view = view(look, start, root.clone(), found.component.clone());
    (view.inline, view.depth, view.link, view.loose) =
        (false, found.depth, found.link, found.loose);
    let is_file = |path: &RelPath| path != file && matches!(library.kind(path), Kind::File { .. });
    let leads_nowhere = leads_to.clone().filter(|path| library.kind(path) == Kind::Missing);
    if let Some(target) = leads_to.filter(is_file) {
        let told = Diagnostic::new(Code::new("document/link-as-text"), Origin::file(file.as_str()));
        let told = told.with("path", target.as_str()).fate(Fate::Adapted);
        library.diagnostics.tell_once(file.as_str(), told);
        library.asked.push((NodeRef { document, node: Document::WHOLE }, Fate::Exact));
        view.start.document = library.open(&target);
        view.link = true;
    } else if let Some(target) = leads_nowhere {
        let told = Diagnostic::new(Code::new("path/missing"), Origin::file(file.as_str()));
        let told = told.with("path", target.as_str()).fate(Fate::Unsupported);
        library.diagnostics.tell_once(file.as_str(), told);
        library.asked.push((NodeRef { document, node: Document::WHOLE }, Fate::Unsupported));
        return;
    }
    insert(library, look, view);
}

/// Adds a view; one whose place was reached before in the same role counts once.
pub(super) fn insert(library: &mut Library, look: &Look<'_>, view: View) {
    // Each entry of a map is a place of its own, whatever file it names.
    let key = (view.role.clone(), view.entry.unwrap_or(view.start));
    if let Some(code) = &look.find.diagnostic
        && let Some(origin) = library.origin(NodeRef {
            node: if view.inline { view.start.node } else { Document::WHOLE },
            ..view.start
        })
        && !library.seen.contains_key(&key)
    {
        library
            .diagnostics
            .tell_once(&view.role, Diagnostic::new(code.clone(), origin).fate(Fate::Adapted));
    }
    if let Some(&at) = library.seen.get(&key) {
        let Some(known) = library.views.get_mut(at) else { return };
        let twice = known.readers.source && view.readers.source && known.named != view.named;
        known.readers = known.readers.and(view.readers);
        let file = library.origin(view.start).map(|origin| origin.file);
        if let (true, Some(node), Some(file)) = (twice, look.node, file)
            && let Some(origin) = library.origin(node)
        {
            library.diagnostics.tell_once(
                &key.0,
                Diagnostic::new(Code::new("document/reached-twice"), origin)
                    .with("file", &*file)
                    .fate(Fate::Exact),
            );
        }
        return;
    }
    library.seen.insert(key, library.views.len());
    library.views.push(view);
}
