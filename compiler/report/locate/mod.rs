//! Origins as places in a text: byte ranges are found here, on demand, at most once a file.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::ir::document::{Document, Frame, Front};

mod json;
pub mod places;
mod yaml;

/// A place in a text. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// In bytes.
    pub range: Range<usize>,
    /// Of its first character.
    pub line: usize,
    /// Of its first character.
    pub column: usize,
    /// Of the place behind its last character.
    pub end_line: usize,
    /// Of the place behind its last character.
    pub end_column: usize,
}

#[cfg(test)]
impl Span {
    /// The place of a range in a text.
    pub(super) fn of(text: &str, range: Range<usize>) -> Span {
        Lines::new(text).span(text, range)
    }
}

/// What is looked for: a pointer, and a text that narrows the place down to where it stands.
#[derive(Clone, Debug)]
pub struct Wanted<'w> {
    /// Empty for the file as such.
    pub pointer: &'w str,
    /// Which part of what is there.
    pub part: Part<'w>,
}

/// A part of a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part<'w> {
    /// All of it.
    Whole,
    /// A text inside of the value.
    Text(Cow<'w, str>),
    /// A line of the file, from 1, from one of its characters on.
    Line(usize, usize),
    /// The fence above the front matter.
    Fence,
}

impl Part<'_> {
    /// The same, without a borrow.
    pub fn owned(self) -> Part<'static> {
        match self {
            Part::Whole => Part::Whole,
            Part::Text(text) => Part::Text(text.into_owned().into()),
            Part::Line(line, column) => Part::Line(line, column),
            Part::Fence => Part::Fence,
        }
    }
}

/// Finds places in one document, in the order asked. What is not found is the place of what it would lie in.
pub fn locate(document: &Document, wanted: &[Wanted<'_>]) -> Vec<Span> {
    let text = &*document.text;
    let inner = document.frame.as_ref().and_then(|frame| Some((frame, inner(document, wanted)?)));
    let (ranges, lines) = if let Some((frame, pointers)) = inner {
        (json::within(text, &frame.range, &pointers), Lines::within(text, frame))
    } else {
        let pointers: Vec<&str> = wanted.iter().map(|one| one.pointer).collect();
        let ranges = if document.front == Front::None {
            json::ranges(text, &pointers)
        } else {
            yaml::ranges(text, document.front, &pointers)
        };
        (ranges, Lines::new(text))
    };
    wanted
        .iter()
        .zip(ranges)
        .map(|(one, range)| {
            let range = range.unwrap_or_else(|| whole(document));
            let part = match &one.part {
                Part::Whole => None,
                Part::Text(needle) => narrow(document, one.pointer, &range, needle),
                Part::Line(line, column) => lines.line(text, *line, *column),
                Part::Fence => text.find("---").map(|at| at..at + 3),
            };
            lines.span(text, part.unwrap_or(range))
        })
        .collect()
}

/// The pointers from the root of a part, if all lie in it.
fn inner<'w>(document: &Document, wanted: &[Wanted<'w>]) -> Option<Vec<&'w str>> {
    let inner = |one: &Wanted<'w>| {
        let rest = one.pointer.strip_prefix(document.base.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then_some(rest)
    };
    wanted.iter().map(inner).collect()
}

/// The file as such is shown by its first line, of a Markdown file that of its body.
fn whole(document: &Document) -> Range<usize> {
    let text = &*document.text;
    let mut at = document.body.unwrap_or(0).min(text.len());
    let rest = text.get(at..).unwrap_or_default();
    at += rest.len() - rest.trim_start().len();
    if at >= text.len() {
        at = 0;
    }
    let rest = text.get(at..).unwrap_or_default();
    at..at + rest.find('\n').unwrap_or(rest.len())
}

/// The first place of a text in a value; JSON may have written it with escapes.
fn narrow(
    document: &Document,
    pointer: &str,
    range: &Range<usize>,
    needle: &str,
) -> Option<Range<usize>> {
    let text = &*document.text;
    let range =
        if pointer.is_empty() { document.body.unwrap_or(0)..text.len() } else { range.clone() };
    let inside = text.get(range.clone())?;
    let escaped = serde_json::to_string(needle).ok()?;
    let escaped = escaped.strip_prefix('"')?.strip_suffix('"')?;
    [needle, escaped].into_iter().filter(|needle| !needle.is_empty()).find_map(|needle| {
        let at = inside.find(needle)?;
        Some(range.start + at..range.start + at + needle.len())
    })
}

/// How far apart places are, at most, whose columns are known.
const STRIDE: usize = 4096;

/// Where the lines of a text begin, and some places in long ones, so that no line is counted from its start for every
/// place in it.
struct Lines(Vec<Mark>);

/// A place whose line and column are known.
#[derive(Clone, Copy)]
struct Mark {
    at: usize,
    line: usize,
    column: usize,
}

impl Lines {
    fn new(text: &str) -> Self {
        Lines::from(text, Mark { at: 0, line: 1, column: 1 }, text.len())
    }

    /// Those of a part.
    fn within(text: &str, frame: &Frame) -> Self {
        let Frame { line, column, ref range } = *frame;
        Lines::from(text, Mark { at: range.start, line, column }, range.end)
    }

    fn from(text: &str, first: Mark, end: usize) -> Self {
        let mut marks = vec![first];
        let mut mark = first;
        let inside = text.as_bytes().get(first.at..end).unwrap_or_default();
        let breaks = memchr::memchr_iter(b'\n', inside).map(|at| first.at + at + 1);
        for start in breaks.chain([end]) {
            while start - mark.at > STRIDE {
                let at = text.floor_char_boundary(mark.at + STRIDE);
                let passed = text.get(mark.at..at).map_or(0, |passed| passed.chars().count());
                mark = Mark { at, column: mark.column + passed, ..mark };
                marks.push(mark);
            }
            mark = Mark { at: start, line: mark.line + 1, column: 1 };
            marks.push(mark);
        }
        // What stands behind the end is no line of its own.
        marks.pop();
        Lines(marks)
    }

    /// What a line holds from a column on; all of it where the line is no longer than that.
    fn line(&self, text: &str, line: usize, column: usize) -> Option<Range<usize>> {
        let start = self.0.iter().find(|mark| (mark.line, mark.column) == (line, 1))?.at;
        let whole = text.get(start..)?.lines().next()?;
        let further = whole.char_indices().nth(column.saturating_sub(1)).map_or(0, |(at, _)| at);
        let rest = whole.get(further..)?;
        let start = start + further + rest.len() - rest.trim_start().len();
        Some(start..start + rest.trim().len())
    }

    fn place(&self, text: &str, at: usize) -> (usize, usize) {
        let next = self.0.partition_point(|mark| mark.at <= at);
        let Some(mark) = self.0.get(next.saturating_sub(1)) else { return (1, 1) };
        let passed = text.get(mark.at..at).map_or(0, |passed| passed.chars().count());
        (mark.line, mark.column + passed)
    }

    fn span(&self, text: &str, range: Range<usize>) -> Span {
        let ((line, column), (end_line, end_column)) =
            (self.place(text, range.start), self.place(text, range.end));
        Span { range, line, column, end_line, end_column }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ir::path::RelPath;

    fn found(
        front: Front,
        text: &str,
        pointer: &str,
        needle: Option<&str>,
    ) -> (String, usize, usize) {
        let mut document = Document::new(&RelPath::parse("x").unwrap(), Arc::from(text));
        document.front = front;
        if front != Front::None {
            document.body = Some(text.rfind("---\n").map_or(0, |at| at + 4));
        }
        let part = needle.map_or(Part::Whole, |needle| Part::Text(needle.into()));
        let span = locate(&document, &[Wanted { pointer, part }]).remove(0);
        (text.get(span.range).unwrap().to_owned(), span.line, span.column)
    }

    #[test]
    fn a_pointer_into_json_is_the_value() {
        let text = "{\n  \"ä\": { \"b\": [1, \"two\"] },\n  \"c~/\": true, \"c\": 1, \"c\": 2\n}\n";
        assert_eq!(found(Front::None, text, "/ä/b/1", None), ("\"two\"".to_owned(), 2, 19));
        assert_eq!(found(Front::None, text, "/c~0~1", None), ("true".to_owned(), 3, 10));
        assert_eq!(found(Front::None, text, "/c", None).0, "2");
        assert_eq!(found(Front::None, text, "/ä/gone", None).0, "{ \"b\": [1, \"two\"] }");
        assert_eq!(found(Front::None, text, "/ä/b/1", Some("wo")), ("wo".to_owned(), 2, 21));
    }

    #[test]
    fn a_pointer_into_front_matter_is_the_value() {
        let text = "---\nname: x\nlist:\n  - a\n  - b: 'c d'\n---\nbody ${x}\n";
        assert_eq!(found(Front::Valid, text, "/list/1/b", None), ("'c d'".to_owned(), 5, 8));
        assert_eq!(found(Front::Valid, text, "/name", None), ("x".to_owned(), 2, 7));
        assert_eq!(found(Front::Valid, text, "", None), ("body ${x}".to_owned(), 7, 1));
        assert_eq!(found(Front::Valid, text, "", Some("${x}")), ("${x}".to_owned(), 7, 6));
        assert_eq!(found(Front::Valid, text, "/gone", None).0, "body ${x}");
    }

    #[test]
    fn recovered_front_matter_is_found_by_its_lines() {
        let text = "---\ndescription: a: b: c\ntools: [x\n---\n";
        assert_eq!(found(Front::Recovered, text, "/tools", None), ("[x".to_owned(), 3, 8));
    }

    #[test]
    fn lines_and_fences_are_places_too() {
        let text = "---\r\n ä: b \r\n---\r\nbody";
        let mut document = Document::new(&RelPath::parse("x").unwrap(), Arc::from(text));
        document.front = Front::Recovered;
        let shown = |part| {
            let span = locate(&document, &[Wanted { pointer: "", part }]).remove(0);
            (text.get(span.range).unwrap(), span.line, span.column)
        };
        assert_eq!(shown(Part::Line(2, 1)), ("ä: b", 2, 2));
        assert_eq!(shown(Part::Line(2, 4)), ("b", 2, 5));
        assert_eq!(shown(Part::Line(2, 99)), ("ä: b", 2, 2));
        assert_eq!(shown(Part::Line(9, 1)).1, 1);
        assert_eq!(shown(Part::Fence), ("---", 1, 1));
    }

    #[test]
    fn a_place_in_a_long_line_is_counted_in_characters() {
        let text = format!("x\n{}\"end\"\r\ny", "ä€𝄞 ".repeat(9_999));
        for (needle, place) in [("\"end\"", (2, 39_997)), ("y", (3, 1)), ("𝄞", (2, 3))] {
            let at = text.find(needle).unwrap();
            let span = Span::of(&text, at..at + needle.len());
            assert_eq!((span.line, span.column), place, "{needle}");
        }
    }

    #[test]
    fn a_part_is_looked_through_alone() {
        let text = "{\n  \"a\": [1, {\n \"ä\": 2, \"b\":\n  { \"c\": 3 } }, 4]\n}\n";
        let whole = Document::new(&RelPath::parse("x").unwrap(), Arc::from(text));
        let at = |document: &Document, pointer: &str| {
            locate(document, &[Wanted { pointer, part: Part::Whole }]).remove(0)
        };
        let place = at(&whole, "/a/1");
        let mut part = whole.part(Document::ROOT, |_| true);
        part.base = "/a/1".to_owned();
        part.frame = Some(Frame { range: place.range, line: place.line, column: place.column });
        for pointer in ["/a/1", "/a/1/ä", "/a/1/b", "/a/1/b/c", "/a/1/gone", "/a/2", "", "/a"] {
            assert_eq!(at(&part, pointer), at(&whole, pointer), "{pointer}");
        }
    }

    #[test]
    fn many_places_in_one_file_are_found_at_once() {
        let text = format!("[{}1]", "1,".repeat(50_000));
        let pointers: Vec<String> = (0..20_000).map(|at| format!("/{at}")).collect();
        let wanted: Vec<Wanted<'_>> =
            pointers.iter().map(|one| Wanted { pointer: one, part: Part::Whole }).collect();
        let document = Document::new(&RelPath::parse("x").unwrap(), Arc::from(text.as_str()));
        let spans = locate(&document, &wanted);
        assert_eq!(spans.last().unwrap().range, 2 * 19_999 + 1..2 * 19_999 + 2);
    }
}
