//! From JSON text to a `Document`: ordered, with duplicate keys, forgiving what its author plainly meant.

mod mask;
mod read;
#[cfg(test)]
pub(super) mod tests;

use crate::ir::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::ir::document::{Document, Key, Kind, NodeId};
use crate::ir::fate::Fate;
use crate::ir::origin::Origin;
use crate::ir::path::RelPath;

use read::Fault;

/// The most values in one document, its root and its containers among them.
pub(super) const MOST_VALUES: usize = 100_000;

/// The same for a list of plugins, each of whose entries may be a whole plugin.
pub(super) const MOST_LISTED: usize = 1_000_000;

/// How deep values may lie in one document, its root being the first level.
pub(super) const DEEPEST: usize = 128;

/// Reads a JSON file. Comments, trailing commas and lone surrogates are masked and told;
/// what is still no JSON, or has more than `most` values, is one unreadable leaf.
pub(crate) fn json(
    file: &RelPath,
    text: &str,
    most: usize,
    diagnostics: &mut Diagnostics,
) -> Document {
    match read::read(file, text, most) {
        Ok(document) => accept(document, diagnostics),
        Err(Fault::Malformed(fault)) => match mask::mask(text) {
            Some(masked) => forgive(file, text, (&masked, most), diagnostics),
            None => refuse(file, text, Fault::Malformed(fault), diagnostics),
        },
        Err(fault) => refuse(file, text, fault, diagnostics),
    }
}

fn forgive(
    file: &RelPath,
    text: &str,
    (masked, most): (&mask::Masked, usize),
    diagnostics: &mut Diagnostics,
) -> Document {
    match read::read(file, &masked.text, most) {
        Ok(mut document) => {
            for code in masked.codes() {
                // Every reader puts a stand-in for a lone surrogate; few put up with the rest.
                document.repaired |= code != "json/lone-surrogate";
                diagnostics.tell(
                    Diagnostic::new(Code::new(code), Origin::file(file.as_str()))
                        .fate(Fate::Adapted),
                );
            }
            accept(document, diagnostics)
        }
        Err(fault) => refuse(file, text, fault, diagnostics),
    }
}

fn accept(mut document: Document, diagnostics: &mut Diagnostics) -> Document {
    shadow_duplicates(&mut document, "json/duplicate-key", diagnostics);
    document
}

fn refuse(file: &RelPath, text: &str, fault: Fault, diagnostics: &mut Diagnostics) -> Document {
    let tell = |code| {
        Diagnostic::new(Code::new(code), Origin::file(file.as_str())).fate(Fate::Unsupported)
    };
    diagnostics.tell(match fault {
        Fault::Empty => tell("json/empty"),
        Fault::TooDeep => tell("json/too-deep").with("limit", DEEPEST.to_string()),
        Fault::TooMany(most) => tell("document/too-many-values").with("limit", most.to_string()),
        Fault::Malformed(fault) => tell("json/malformed")
            .with("detail", fault.detail)
            .with("line", fault.line.to_string())
            .with("column", fault.column.to_string()),
    });
    let mut document = Document::new(file, text.into());
    document.readable = false;
    document
}

/// Shadows each key of a map that is written again further down, and tells each such key once.
pub(super) fn shadow_duplicates(
    document: &mut Document,
    code: &str,
    diagnostics: &mut Diagnostics,
) {
    let all = 0..NodeId::try_from(document.len()).unwrap_or(NodeId::MAX);
    let maps: Vec<NodeId> = all.filter(|&id| matches!(document.kind(id), Kind::Map)).collect();
    let mut told = Vec::new();
    for map in maps {
        for (earlier, last) in duplicates(document, map) {
            document.shadow(earlier);
            told.extend(last);
        }
    }
    // Only now is it known which maps lie in a shadowed one, and so have another place.
    for last in told {
        diagnostics.tell(
            Diagnostic::new(Code::new(code), document.origin(last))
                .with("key", name(document, last)),
        );
    }
}

/// The children of a map that a later one replaces; beside the first with its key, the one that counts.
fn duplicates(document: &Document, map: NodeId) -> Vec<(NodeId, Option<NodeId>)> {
    let mut children: Vec<NodeId> = document.children(map).collect();
    if children.len() < 2 {
        return Vec::new();
    }
    children.sort_by(|&a, &b| name(document, a).cmp(name(document, b)));
    let mut found = Vec::new();
    for run in children.chunk_by(|&a, &b| name(document, a) == name(document, b)) {
        if let Some((&last, earlier)) = run.split_last() {
            let all = earlier.iter().enumerate();
            found.extend(all.map(|(at, &id)| (id, (at == 0).then_some(last))));
        }
    }
    found.sort_unstable();
    found
}

fn name(document: &Document, id: NodeId) -> &str {
    match document.key(id) {
        Key::Name(name) => name,
        Key::Root | Key::Index(_) => "",
    }
}
