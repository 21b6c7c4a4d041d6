//! The lines of a diagnostic's place, with the place marked.

use std::fmt::Write as _;

use super::escape::escape;
use crate::ir::document::Document;
use crate::report::crop::{Crop, crop};
use crate::report::told::Told;

/// The snippet, or nothing where there is no text to show.
pub(super) fn snippet(one: &Told, documents: &[Document]) -> String {
    let found = one.at.as_ref().and_then(|(number, span)| Some((documents.get(*number)?, span)));
    let Some((document, span)) = found.filter(|(document, _)| !document.text.is_empty()) else {
        return String::new();
    };
    let crop = crop(&document.text, span);
    let mut out = String::from("<pre class=\"snippet\" tabindex=\"0\"><code>");
    out.push_str(&lines(&crop));
    out.push_str("</code></pre>");
    if let Some(label) = &one.label {
        let _ = write!(out, "<p class=\"label\"><mark>{}</mark></p>", escape(label));
    }
    out
}

/// Each line with its number; a place over several lines is marked in each, so that no element crosses a line.
fn lines(crop: &Crop) -> String {
    let (from, to) = (crop.at, whole_character(&crop.text, crop.at + crop.len));
    let (mut out, mut offset) = (String::new(), 0);
    for (number, line) in crop.text.split_terminator('\n').enumerate() {
        let end = offset + line.len();
        let part = |from: usize, to: usize| escape(crop.text.get(from..to).unwrap_or_default());
        let _ = write!(out, "<span class=\"number\">{:>5} </span>", number + crop.first_line);
        if from <= end && to > offset {
            let (start, stop) = (from.clamp(offset, end), to.clamp(offset, end));
            // An end of a line has nothing that could be marked.
            let marked = if start == stop { " ".to_owned() } else { part(start, stop) };
            let _ = write!(out, "{}<mark>{marked}</mark>{}", part(offset, start), part(stop, end));
        } else {
            out.push_str(&escape(line));
        }
        out.push('\n');
        offset = end + 1;
    }
    out
}

/// The place, or the end of the character that it lies in.
fn whole_character(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::locate::Span;

    fn shown(text: &str, from: usize, to: usize) -> String {
        lines(&crop(text, &Span::of(text, from..to)))
    }

    #[test]
    fn the_place_is_marked_and_the_rest_is_not() {
        let text = shown("one\ntwo & <three>\nfour", 10, 17);
        assert!(text.contains("    2 </span>two &amp; <mark>&lt;three&gt;</mark>\n"), "{text}");
        assert_eq!(text.matches("<mark>").count(), 1, "{text}");
    }

    #[test]
    fn a_place_over_lines_is_marked_in_each() {
        let text = shown("{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", 9, 26);
        assert_eq!(text.matches("<mark>").count(), text.matches("</mark>\n").count(), "{text}");
        assert_eq!(text.matches("<mark>").count(), 3, "{text}");
    }

    #[test]
    fn an_empty_place_and_one_in_a_wide_character_are_seen() {
        assert!(shown("a\n\nb", 2, 2).contains("<mark> </mark>"));
        assert!(shown("é", 0, 0).contains("<mark>é</mark>"));
    }
}
