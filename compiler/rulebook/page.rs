//! `Page`: what one diagnostic tells. Its path is its code.

use serde::{Deserialize, Serialize};

use super::cursor::Cursor;
use crate::ir::diagnostic::{Loss, Severity};

/// The head of a page: what reports print.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// How much it asks of its reader.
    pub severity: Severity,
    /// What kind of thing is lost.
    pub loss: Option<Loss>,
    /// What is wrong, with holes.
    pub message: String,
    /// What stands at the caret.
    pub label: Option<String>,
    /// What to do, with holes.
    pub help: Option<String>,
}

/// The headings that every page has, in this order.
pub const HEADINGS: [&str; 3] = ["## What happened", "## Why it matters", "## What to do"];

/// The front matter and the prose of a page's file.
pub fn split(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("---\n")?.split_once("\n---\n")
}

/// The head of a page, from its front matter.
pub fn head(at: &Cursor<'_>) -> Page {
    at.only(&["severity", "loss", "message", "label", "help", "translates"]);
    let word = at.need("severity");
    let all = [Severity::Error, Severity::Warning, Severity::Note];
    let severity = all.into_iter().find(|one| one.word() == word).unwrap_or_else(|| {
        at.fault(format!("`{word}` is no severity: error, warning, note"));
        Severity::Error
    });
    Page {
        severity,
        loss: at.loss("loss"),
        message: at.need("message"),
        label: at.maybe("label"),
        help: at.maybe("help"),
    }
}

/// The names of the holes in a page's line.
pub fn holes(text: &str) -> Vec<&str> {
    text.split("${")
        .skip(1)
        .filter_map(|piece| piece.split_once('}').map(|(name, _)| name))
        .collect()
}

/// A page's line with its holes filled; one without a word stays empty, but for an empty value in
/// backquotes: it is written `""`, since two backquotes show nothing.
pub fn fill(text: &str, words: &[(String, String)]) -> String {
    let Some((first, rest)) = text.split_once("${") else { return text.to_owned() };
    let mut out = first.to_owned();
    for piece in rest.split("${") {
        let Some((name, behind)) = piece.split_once('}') else {
            out.push_str(piece);
            continue;
        };
        let word = words.iter().find(|(known, _)| known == name).map_or("", |(_, word)| word);
        let quoted = out.ends_with('`') && behind.starts_with('`');
        out.push_str(if word.is_empty() && quoted { "\"\"" } else { word });
        out.push_str(behind);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_filled_once() {
        let words = [("a".to_owned(), "${b}".to_owned()), ("b".to_owned(), "x".to_owned())];
        assert_eq!(fill("1 ${a} 2 ${b} ${c}.", &words), "1 ${b} 2 x .");
        assert_eq!(holes("1 ${a} 2 ${b}"), ["a", "b"]);
        assert_eq!(fill("`${a}` `${c}` ${c}`", &words), "`${b}` `\"\"` `");
    }
}
