//! Values in JSON: `RawValue` borrows slices of the text, so a slice's address tells its place.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::ir::origin::steps;

/// The ranges of the values that pointers lead to, or of what they would lie in; none for the whole text.
pub(super) fn ranges(text: &str, pointers: &[&str]) -> Vec<Option<Range<usize>>> {
    let mut found = vec![None; pointers.len()];
    let wanted = pointers.iter().enumerate().filter(|(_, pointer)| !pointer.is_empty());
    let wanted: Vec<(usize, Vec<String>)> =
        wanted.map(|(at, pointer)| (at, steps(pointer).collect())).collect();
    if wanted.is_empty() {
        return found;
    }
    if let Ok(root) = serde_json::from_str::<&RawValue>(text) {
        descend(text, root.get(), wanted, 0, &mut found);
    }
    found
}

/// The same in a part of the text, whose pointers are counted from there; none is the part itself.
pub(super) fn within(
    text: &str,
    part: &Range<usize>,
    pointers: &[&str],
) -> Vec<Option<Range<usize>>> {
    let moved = |found: Option<Range<usize>>| {
        let found = found.map(|one| one.start + part.start..one.end + part.start);
        Some(found.unwrap_or_else(|| part.clone()))
    };
    let found = ranges(text.get(part.clone()).unwrap_or_default(), pointers);
    found.into_iter().map(moved).collect()
}

/// Where a slice of a text lies in it.
fn range_of(text: &str, slice: &str) -> Range<usize> {
    let start = (slice.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + slice.len()
}

fn descend(
    text: &str,
    value: &str,
    wanted: Vec<(usize, Vec<String>)>,
    depth: usize,
    found: &mut [Option<Range<usize>>],
) {
    if depth > 0 {
        for (at, _) in &wanted {
            if let Some(place) = found.get_mut(*at) {
                *place = Some(range_of(text, value));
            }
        }
    }
    let mut below: BTreeMap<String, Vec<(usize, Vec<String>)>> = BTreeMap::new();
    for (at, steps) in wanted {
        if let Some(step) = steps.get(depth) {
            below.entry(step.clone()).or_default().push((at, steps));
        }
    }
    if below.is_empty() {
        return;
    }
    let Ok(Children(children)) = serde_json::from_str::<Children<'_>>(value) else { return };
    // Of several with one key the last one counts, so look from the end.
    for (key, child) in children.into_iter().rev() {
        if let Some(wanted) = below.remove(&*key) {
            descend(text, child.get(), wanted, depth + 1, found);
        }
    }
}

/// The direct children of a container, list elements by their number.
struct Children<'t>(Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'t> Deserialize<'t> for Children<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Container)
    }
}

struct Container;

impl<'t> Visitor<'t> for Container {
    type Value = Children<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or a map")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            all.push((Cow::Owned(key), map.next_value()?));
        }
        Ok(Children(all))
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(value) = list.next_element()? {
            all.push((Cow::Owned(all.len().to_string()), value));
        }
        Ok(Children(all))
    }
}
