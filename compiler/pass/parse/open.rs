//! `Library`: the documents read so far; each file is read once, whatever roles it plays.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{decode, front, json};
use crate::ir::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::ir::document::{Document, Front};
use crate::ir::fate::Fate;
use crate::ir::manifest::{Manifest, NodeRef, View};
use crate::ir::origin::Origin;
use crate::ir::path::RelPath;
use crate::ir::route::HostName;
use crate::ir::snapshot::{Kind, LARGEST_DOCUMENT, Snapshot, Unreadable};
use crate::rulebook::evaluate::{Scope, Val};
use crate::rulebook::rules::Source;

/// What has been read of a package.
pub(super) struct Library {
    pub(super) snapshot: RefCell<Snapshot>,
    pub(super) documents: Vec<Document>,
    pub(super) views: Vec<View>,
    pub(super) asked: Vec<(NodeRef, Fate)>,
    pub(super) discarded: Vec<NodeRef>,
    pub(super) diagnostics: Diagnostics,
    /// What lies too deep, each with the folder that a walk ended at; another walk may reach it yet.
    pub(super) beyond: Vec<(RelPath, Diagnostic)>,
    pub(super) fatal: bool,
    /// How many values a JSON document may have.
    pub(super) most: usize,
    /// The source host refuses a package for what others pass over.
    pub(super) strict: bool,
    /// The entry of a list of plugins: beside a manifest, or in its place.
    pub(super) entry: Option<NodeRef>,
    /// Documents by the path that their file's links lead to.
    read: BTreeMap<RelPath, u32>,
    /// Views by role and place, so that a file that is reached twice counts once.
    pub(super) seen: BTreeMap<(String, NodeRef), usize>,
}

impl Library {
    pub(super) fn new(snapshot: Snapshot) -> Self {
        Library {
            snapshot: RefCell::new(snapshot),
            documents: Vec::new(),
            views: Vec::new(),
            asked: Vec::new(),
            discarded: Vec::new(),
            diagnostics: Diagnostics::default(),
            beyond: Vec::new(),
            fatal: false,
            most: json::MOST_VALUES,
            strict: false,
            entry: None,
            read: BTreeMap::new(),
            seen: BTreeMap::new(),
        }
    }

    pub(super) fn into_manifest(self, host: HostName) -> Manifest {
        Manifest {
            host,
            documents: self.documents,
            views: self.views,
            listing: self.entry,
            asked: self.asked,
            discarded: self.discarded,
            diagnostics: self.diagnostics,
            snapshot: self.snapshot.into_inner(),
            fatal: self.fatal,
        }
    }

    pub(super) fn manifest(&self) -> Option<NodeRef> {
        self.views.iter().find(|view| view.role == "manifest").map(|view| view.start)
    }

    pub(super) fn origin(&self, at: NodeRef) -> Option<Origin> {
        self.documents.get(at.document as usize).map(|document| document.origin(at.node))
    }

    pub(super) fn kind(&self, path: &RelPath) -> Kind {
        self.snapshot.borrow_mut().kind(path)
    }

    /// The scope of a condition over the manifest.
    pub(super) fn scope<'l>(&'l self, source: &'l Source) -> Scope<'l> {
        let mut scope = Scope::new(&self.documents, &source.tables, &self.snapshot);
        scope.any_case = source.any_case;
        if let Some(manifest) = self.manifest() {
            scope.bind("manifest", Val::Node(manifest));
        }
        if let Some(entry) = self.entry {
            scope.bind("entry", Val::Node(entry));
        }
        scope
    }

    /// Adds a document that lies in no file of the package.
    pub(super) fn push(&mut self, document: Document) -> NodeRef {
        let number = u32::try_from(self.documents.len()).unwrap_or(u32::MAX);
        self.documents.push(document);
        NodeRef { document: number, node: Document::ROOT }
    }

    /// The document of a file, read now or before.
    pub(super) fn open(&mut self, path: &RelPath) -> u32 {
        let is_link = self.snapshot.borrow_mut().is_link(path);
        let resolved = if is_link { self.snapshot.borrow().resolve(path) } else { path.clone() };
        if let Some(&known) = self.read.get(&resolved) {
            return known;
        }
        let document = self.load(path);
        let number = u32::try_from(self.documents.len()).unwrap_or(u32::MAX);
        if document.front == Front::Broken {
            // What stood in its front matter is lost, and the file is its only leaf.
            self.asked
                .push((NodeRef { document: number, node: Document::WHOLE }, Fate::Unsupported));
        }
        self.documents.push(document);
        self.read.insert(resolved, number);
        number
    }

    fn load(&mut self, path: &RelPath) -> Document {
        let is_front =
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
        let is_json =
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        if !is_front && !is_json {
            return self.asset(path);
        }
        let bytes = match self.snapshot.borrow_mut().read(path) {
            Ok(bytes) => bytes,
            Err(reason) => {
                let (code, detail) = reason_code(&reason);
                let told = Diagnostic::new(Code::new(code), Origin::file(path.as_str()));
                self.diagnostics.tell(told.with("detail", detail).fate(Fate::Unsupported));
                let mut document = Document::new(path, "".into());
                document.readable = false;
                return document;
            }
        };
        let decoded = decode::decode(bytes);
        for note in decoded.notes {
            self.diagnostics.tell(
                Diagnostic::new(Code::new(note), Origin::file(path.as_str())).fate(Fate::Adapted),
            );
        }
        if is_front {
            front::markdown(path, &decoded.text, &mut self.diagnostics)
        } else {
            json::json(path, &decoded.text, self.most, &mut self.diagnostics)
        }
    }

    /// A file that is carried and never read.
    fn asset(&mut self, path: &RelPath) -> Document {
        let mut document = Document::new(path, Arc::from(""));
        document.body = Some(0);
        match self.kind(path) {
            Kind::File { .. } => {}
            other => {
                let (code, detail) = reason_code(&Unreadable::NotAFile(other));
                let told = Diagnostic::new(Code::new(code), Origin::file(path.as_str()));
                self.diagnostics.tell(told.with("detail", detail).fate(Fate::Unsupported));
                document.readable = false;
            }
        }
        document
    }
}

/// The code for a file that cannot be read, and a word about it.
fn reason_code(reason: &Unreadable) -> (&'static str, String) {
    match reason {
        Unreadable::TooLarge(size) => {
            ("document/too-large", format!("{size} bytes, {LARGEST_DOCUMENT} are read"))
        }
        Unreadable::Denied | Unreadable::NotAFile(Kind::Denied) => {
            ("document/denied", "it may not be read".to_owned())
        }
        Unreadable::NotAFile(kind) => (
            "document/not-a-file",
            match kind {
                Kind::Folder => "a folder",
                Kind::Missing | Kind::Dangling => "a link to nothing",
                Kind::Outside => "a link out of the package",
                Kind::Loop => "a link that goes round in a circle",
                Kind::Special | Kind::Denied | Kind::File { .. } => "a pipe or a device",
            }
            .to_owned(),
        ),
    }
}
