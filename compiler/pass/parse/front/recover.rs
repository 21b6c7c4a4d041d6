//! What can be saved of a front matter that is no YAML: its keys, one by one.

use crate::ir::document::{Document, Key, Kind, NodeId};
use crate::ir::path::RelPath;

use super::MOST_VALUES;
use super::yaml::{self, Fault};

/// Is the first line that is neither blank nor a comment a key with what follows it?
pub(super) fn begins_with_key(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| key(line).is_some())
}

/// Adds to the root of a document what its keys hold: as YAML where a key alone is YAML, else as the text that it is.
pub(super) fn recover(document: &mut Document, text: &str) -> Result<(), Fault> {
    for part in parts(text) {
        if is_yaml(&part) {
            yaml::read(document, part.whole)?;
        } else {
            add_text(document, &part)?;
        }
    }
    Ok(())
}

/// A key at the beginning of a line, with the lines up to the next one.
struct Part<'t> {
    name: &'t str,
    /// What follows the key in its line.
    rest: &'t str,
    /// The lines after it.
    more: &'t str,
    whole: &'t str,
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let (mut starts, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        if let Some(key) = key(line) {
            starts.push((at, at + line.len(), key));
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|&(start, ..)| start).chain([at]);
    let part = |(&(start, next, (name, rest)), end): (&(usize, usize, (_, _)), usize)| {
        Some(Part { name, rest, more: text.get(next..end)?, whole: text.get(start..end)? })
    };
    starts.iter().zip(ends).filter_map(part).collect()
}

/// The key that a line begins with, and the rest of the line.
fn key(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.match_indices(':').find_map(|(at, _)| {
        let rest = line.get(at + 1..)?;
        (rest.is_empty() || rest.starts_with(char::is_whitespace))
            .then(|| Some((line.get(..at)?, rest.trim())))?
    })?;
    let name = unquoted(name);
    let is_plain = |c: char| c.is_alphanumeric() || "_-.$".contains(c);
    (!name.is_empty() && !name.starts_with('-') && name.chars().all(is_plain))
        .then_some((name, rest))
}

/// `[a] | [b]` and `{{name}}` are meant as text more often than as YAML, so what begins so always is.
fn is_yaml(part: &Part) -> bool {
    if part.rest.starts_with(['[', '{']) {
        return false;
    }
    yaml::read(&mut Document::new(&RelPath::root(), "".into()), part.whole).is_ok()
}

fn add_text(document: &mut Document, part: &Part) -> Result<(), Fault> {
    let lines: Vec<&str> =
        part.more.lines().filter(|line| !line.starts_with('#')).map(str::trim).collect();
    let items: Option<Vec<&str>> =
        lines.iter().filter(|line| !line.is_empty()).map(|line| item(line)).collect();
    match items {
        Some(items) if part.rest.is_empty() && !items.is_empty() => {
            let list = push(document, Document::ROOT, Key::Name(part.name.into()), Kind::List)?;
            for (index, item) in (0..).zip(items) {
                push(document, list, Key::Index(index), Kind::Text(unquoted(item).into()))?;
            }
        }
        _ => {
            let text = joined(part.rest, &lines);
            let text = unquoted(&text);
            let kind = if text.is_empty() { Kind::Null } else { Kind::Text(text.into()) };
            push(document, Document::ROOT, Key::Name(part.name.into()), kind)?;
        }
    }
    Ok(())
}

fn push(document: &mut Document, parent: NodeId, key: Key, kind: Kind) -> Result<NodeId, Fault> {
    if document.len() >= MOST_VALUES {
        return Err(Fault::TooMany);
    }
    Ok(document.push(parent, key, kind))
}

fn item(line: &str) -> Option<&str> {
    line.strip_prefix("- ").map(str::trim).or_else(|| (line == "-").then_some(""))
}

/// A line and those after it, as YAML would join them: kept under `|`, else folded.
fn joined(rest: &str, lines: &[&str]) -> String {
    let is_block = rest.starts_with(['|', '>']) && rest.len() <= 3;
    let between = if rest.starts_with('|') && is_block { '\n' } else { ' ' };
    let mut text = if is_block { String::new() } else { rest.to_owned() };
    let mut blanks = 0;
    for line in lines {
        if line.is_empty() {
            blanks += 1;
            continue;
        }
        if !text.is_empty() {
            // One blank line breaks folded lines once; kept lines it breaks once more.
            let breaks = if between == '\n' { blanks + 1 } else { blanks };
            text.extend(std::iter::repeat_n('\n', breaks));
            if breaks == 0 {
                text.push(between);
            }
        }
        blanks = 0;
        text.push_str(line);
    }
    text
}

/// A text without the quotes around it.
fn unquoted(text: &str) -> &str {
    let inner = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}
