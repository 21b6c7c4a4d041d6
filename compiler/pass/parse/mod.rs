//! `parse`: finds and reads the documents of a package, as its host's rules and the target's reader say.

use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::document::Document;
use crate::ir::fate::Fate;
use crate::ir::manifest::{Manifest, Readers};
use crate::ir::path::RelPath;
use crate::ir::route::{Form, Route};
use crate::ir::snapshot::Snapshot;
use crate::rulebook::Rulebook;
use crate::rulebook::rules::{Role, Source};

mod decode;
mod discard;
mod find;
mod front;
mod json;
mod layer;
mod open;
mod refuse;
mod search;
mod shelve;

use open::Library;

/// What is known of a package beside its files.
#[derive(Clone, Copy, Default)]
pub struct Given<'g> {
    /// An entry of a list of plugins, which may add to what the package says of itself, or say it in its place.
    pub entry: Option<&'g Document>,
    /// Where its manifest lies, if not where its host looks.
    pub manifest: Option<&'g RelPath>,
}

/// Reads a package as the route's source host and the target's own importer read it.
pub fn parse(snapshot: Snapshot, rulebook: &Rulebook, route: &Route, given: Given<'_>) -> Manifest {
    let Given { entry, manifest } = given;
    let source = rulebook.source(&route.source);
    let target = rulebook.target(&route.target);
    let mut library = Library::new(snapshot);
    let lists = entry.and_then(|_| rulebook.lists(&route.source.name));
    if let Some(source) = source {
        library.strict = source.strict.is_some();
        let (first, others) = source.documents.split_at(1.min(source.documents.len()));
        let by_source = Readers { source: true, target: false };
        match (manifest, first) {
            (Some(path), [role]) => {
                library.most = json::MOST_LISTED;
                find::placed(&mut library, role, path, by_source);
            }
            _ => look(&mut library, source, first, by_source),
        }
        if let (Some(entry), Some(lists)) = (entry, lists) {
            layer::lay(&mut library, entry, lists);
        }
        look(&mut library, source, others, by_source);
        layer::replace(&mut library, lists);
        library.tell_beyond();
        let reads = target.and_then(|target| {
            target.reads.iter().find(|reads| *reads.source == *route.source.name)
        });
        if let Some(reads) = reads {
            look(&mut library, source, &reads.documents, Readers { source: false, target: true });
            if route.form == Form::AsFound {
                discard::by_target(&mut library, source, &reads.discards);
            }
        }
        discard::by_source(&mut library, source);
    }
    library.close();
    library.into_manifest(route.source.clone())
}

/// Finds the documents of every role, in the order of the rules; the manifest is the first role.
fn look(library: &mut Library, source: &Source, roles: &[Role], readers: Readers) {
    for role in roles {
        find::role(library, source, role, readers);
    }
}

impl Library {
    /// Tells what lay too deep for every walk, once for each folder that one ended at.
    fn tell_beyond(&mut self) {
        for (end, told) in std::mem::take(&mut self.beyond) {
            let is_it = |document: &Document| document.file == told.origin.file;
            if !self.documents.iter().any(is_it) {
                self.diagnostics.tell_once(end.as_str(), told);
            }
        }
    }

    /// Says what the limits cut off, and that nothing can be made of a package whose manifest cannot be read.
    fn close(&mut self) {
        let manifest = self.manifest().and_then(|at| self.documents.get(at.document as usize));
        if let Some(document) = manifest.filter(|document| !document.readable) {
            self.fatal = true;
            self.diagnostics.refuse(&document.file);
        }
        if self.snapshot.borrow().is_exhausted() {
            let origin = crate::ir::origin::Origin::file("");
            self.diagnostics.tell(
                Diagnostic::new(Code::new("package/too-many-files"), origin)
                    .fate(Fate::Unsupported),
            );
        }
    }
}
