//! From a Markdown file to a `Document`: its front matter as nodes, and where its body begins.

mod recover;
#[cfg(test)]
mod tests;
mod yaml;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::ir::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::ir::document::{Document, Front, Key};
use crate::ir::fate::Fate;
use crate::ir::origin::Origin;
use crate::ir::path::RelPath;

use super::json::{DEEPEST, MOST_VALUES, shadow_duplicates};
use yaml::Fault;

/// The longest path that a link checked in as a text holds, in bytes.
const LONGEST_LINK: usize = 512;

/// Reads a Markdown file. Front matter that is no YAML is recovered key by key.
pub(crate) fn markdown(file: &RelPath, text: &str, diagnostics: &mut Diagnostics) -> Document {
    let text: Arc<str> = text.into();
    let fences = match fences(&text) {
        Fences::Both(fences) => fences,
        Fences::Opening => {
            diagnostics.tell(tell(file, "front/unterminated", Fate::Inert));
            return absent(file, &text);
        }
        Fences::None => return absent(file, &text),
    };
    let yaml = text.get(fences.inner.clone()).unwrap_or_default();
    if fences.is_late {
        // Between two rulers of a text lies a text.
        if !recover::begins_with_key(yaml) {
            return absent(file, &text);
        }
        diagnostics.tell(tell(file, "front/late", Fate::Adapted));
    }
    let mut document = front(file, &text, yaml, fences.line, diagnostics);
    if fences.is_late && document.front == Front::Valid {
        // A host that wants the fence in the first line reads no key of it.
        document.front = Front::Recovered;
    }
    document.body = Some(fences.body);
    shadow_duplicates(&mut document, "front/duplicate-key", diagnostics);
    document
}

/// The path in a link that was checked in as a text file: a relative path to a `.md` file and nothing else.
pub(crate) fn link_text(text: &str) -> Option<&str> {
    let path = text.trim();
    let climbs = path.starts_with("./") || path.starts_with("../");
    let begins = climbs || path.starts_with(|c: char| c.is_alphanumeric() || c == '.' || c == '_');
    let is_plain =
        |c: char| !c.is_control() && !":*?\"<>|`\\".contains(c) && (climbs || !c.is_whitespace());
    (path.len() <= LONGEST_LINK
        && path.strip_suffix(".md").is_some()
        && begins
        && path.chars().all(is_plain))
    .then_some(path)
}

fn tell(file: &RelPath, code: &str, fate: Fate) -> Diagnostic {
    Diagnostic::new(Code::new(code), Origin::file(file.as_str())).fate(fate)
}

fn absent(file: &RelPath, text: &Arc<str>) -> Document {
    let mut document = Document::new(file, text.clone());
    document.front = Front::Absent;
    document.body = Some(0);
    document
}

/// The nodes of a front matter that begins at a line of its file.
fn front(
    file: &RelPath,
    text: &Arc<str>,
    yaml: &str,
    line: usize,
    diagnostics: &mut Diagnostics,
) -> Document {
    let mut document = Document::new(file, text.clone());
    let fault = match yaml::read(&mut document, yaml) {
        Ok(()) => {
            document.front = Front::Valid;
            return document;
        }
        Err(fault) => fault,
    };
    let mut document = Document::new(file, text.clone());
    let fault = match fault {
        Fault::Invalid { .. } => recover::recover(&mut document, yaml).err().unwrap_or(fault),
        limit => limit,
    };
    if !matches!(fault, Fault::Invalid { .. }) {
        document = Document::new(file, text.clone());
    }
    document.front = if document.is_empty() { Front::Broken } else { Front::Recovered };
    diagnostics.tell(fault_told(file, &document, fault, line));
    document
}

fn fault_told(file: &RelPath, document: &Document, fault: Fault, line: usize) -> Diagnostic {
    match fault {
        Fault::Invalid { detail, line: at } => {
            let told = if document.is_empty() {
                tell(file, "front/broken", Fate::Unsupported)
            } else {
                tell(file, "front/recovered", Fate::Adapted).with("keys", keys(document))
            };
            told.with("detail", detail).with("line", (line + at - 1).to_string())
        }
        Fault::TooMany => tell(file, "document/too-many-values", Fate::Unsupported)
            .with("limit", MOST_VALUES.to_string()),
        Fault::TooDeep => {
            tell(file, "front/too-deep", Fate::Unsupported).with("limit", DEEPEST.to_string())
        }
    }
}

/// The names of a document's keys, each once.
fn keys(document: &Document) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut known = BTreeSet::new();
    for child in document.children(Document::ROOT) {
        if let Key::Name(name) = document.key(child)
            && known.insert(name)
        {
            names.push(name);
        }
    }
    names.join(", ")
}

/// Which fences a file has.
enum Fences {
    None,
    Opening,
    Both(Both),
}

/// Where a front matter lies.
struct Both {
    /// The YAML, in bytes.
    inner: Range<usize>,
    /// The line that the YAML begins at, from 1.
    line: usize,
    /// The byte behind the line of the closing fence.
    body: usize,
    /// Whether blank lines stand before the opening fence.
    is_late: bool,
}

fn fences(text: &str) -> Fences {
    let mut lines = text.split_inclusive('\n');
    let (mut at, mut blanks) = (0, 0);
    let opening = loop {
        let Some(line) = lines.next() else { return Fences::None };
        at += line.len();
        match line.trim() {
            "" => blanks += 1,
            "---" => break at,
            _ => return Fences::None,
        }
    };
    for line in lines {
        let closing = at;
        at += line.len();
        if line.trim() == "---" {
            let both =
                Both { inner: opening..closing, line: blanks + 2, body: at, is_late: blanks > 0 };
            return Fences::Both(both);
        }
    }
    if blanks > 0 { Fences::None } else { Fences::Opening }
}
