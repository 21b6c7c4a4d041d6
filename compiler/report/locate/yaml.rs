//! Values in front matter: a YAML reader with markers, or lines where it is no YAML.

use std::collections::BTreeMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, Span};

use crate::ir::document::Front;
use crate::ir::origin::{push_step, steps};

/// The ranges of the values that pointers lead to; of a value that is not found, of what it would lie in.
pub(super) fn ranges(text: &str, front: Front, pointers: &[&str]) -> Vec<Option<Range<usize>>> {
    if pointers.iter().all(|pointer| pointer.is_empty()) {
        return vec![None; pointers.len()];
    }
    let Some((start, yaml)) = inner(text) else { return vec![None; pointers.len()] };
    let places = if front == Front::Valid { by_events(yaml) } else { by_lines(yaml) };
    let find = |pointer: &str| {
        let mut pointer = pointer;
        loop {
            if pointer.is_empty() {
                return None;
            }
            if let Some(range) = places.get(pointer) {
                return Some(start + range.start..start + range.end);
            }
            pointer = pointer.rsplit_once('/').map_or("", |(outer, _)| outer);
        }
    };
    pointers.iter().map(|pointer| find(pointer)).collect()
}

/// The places of a whole YAML text, by pointer: for the files of the rules.
pub(super) fn places(yaml: &str) -> BTreeMap<String, Range<usize>> {
    by_events(yaml)
}

/// What lies between the fences, and where it begins.
fn inner(text: &str) -> Option<(usize, &str)> {
    let mut at = 0;
    let mut start = None;
    for line in text.split_inclusive('\n') {
        let is_fence = line.trim() == "---";
        match start {
            None if is_fence => start = Some(at + line.len()),
            None if line.trim().is_empty() => {}
            None => return None,
            Some(start) if is_fence => return Some((start, text.get(start..at)?)),
            Some(_) => {}
        }
        at += line.len();
    }
    None
}

/// A container that is open: its pointer, and the key or the number of what comes next.
struct Open {
    pointer: String,
    is_map: bool,
    key: Option<String>,
    count: usize,
    start: usize,
}

fn by_events(yaml: &str) -> BTreeMap<String, Range<usize>> {
    let offsets = Offsets::new(yaml);
    let (mut places, mut open): (BTreeMap<String, Range<usize>>, Vec<Open>) =
        (BTreeMap::new(), Vec::new());
    let mut parser = Parser::new_from_str(yaml);
    while let Some(Ok((event, span))) = parser.next_event() {
        let range = offsets.range(&span);
        match event {
            Event::Scalar(text, ..) => scalar(&mut open, &mut places, &text, range),
            Event::Alias(_) => scalar(&mut open, &mut places, "", range),
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                let pointer = next(&mut open).unwrap_or_default();
                let is_map = matches!(event, Event::MappingStart(..));
                open.push(Open { pointer, is_map, key: None, count: 0, start: range.start });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                if let Some(done) = open.pop() {
                    let end = yaml
                        .get(done.start..range.end)
                        .map_or(range.end, |inside| done.start + inside.trim_end().len());
                    places.insert(done.pointer, done.start..end);
                }
            }
            _ => {}
        }
    }
    places
}

fn scalar(
    open: &mut [Open],
    places: &mut BTreeMap<String, Range<usize>>,
    text: &str,
    range: Range<usize>,
) {
    if let Some(last) = open.last_mut().filter(|last| last.is_map && last.key.is_none()) {
        last.key = Some(text.to_owned());
        return;
    }
    if let Some(pointer) = next(open) {
        places.insert(pointer, range);
    }
}

/// The pointer of what comes next in the innermost container.
fn next(open: &mut [Open]) -> Option<String> {
    let last = open.last_mut()?;
    let step = if last.is_map { last.key.take()? } else { last.count.to_string() };
    last.count += 1;
    let mut pointer = last.pointer.clone();
    push_step(&mut pointer, &step);
    Some(pointer)
}

/// Byte offsets of characters, as the reader counts in characters.
struct Offsets(Option<Vec<usize>>);

impl Offsets {
    fn new(text: &str) -> Self {
        let table = || text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        Offsets((!text.is_ascii()).then(table))
    }

    fn at(&self, characters: usize) -> usize {
        match &self.0 {
            None => characters,
            Some(table) => table.get(characters).or(table.last()).copied().unwrap_or(0),
        }
    }

    fn range(&self, span: &Span) -> Range<usize> {
        let (start, end) = (self.at(span.start.index()), self.at(span.end.index()));
        start..end.max(start)
    }
}

/// Of what is no YAML, the lines that begin a key.
fn by_lines(yaml: &str) -> BTreeMap<String, Range<usize>> {
    let mut places = BTreeMap::new();
    let mut at = 0;
    for line in yaml.split_inclusive('\n') {
        let begins = line.starts_with(|c: char| !c.is_whitespace() && c != '#' && c != '-');
        if let Some((key, rest)) = line.split_once(':').filter(|_| begins) {
            let value = rest.trim();
            let start = at + key.len() + 1 + (rest.len() - rest.trim_start().len());
            let mut pointer = String::new();
            push_step(&mut pointer, key.trim());
            let place = if value.is_empty() {
                at..at + line.trim_end().len()
            } else {
                start..start + value.len()
            };
            places.insert(pointer, place);
        }
        at += line.len();
    }
    debug_assert!(places.keys().all(|pointer: &String| steps(pointer).count() == 1));
    places
}
