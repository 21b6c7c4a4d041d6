//! `check`: what can be known to be wrong with the rules before any of them runs.
//!
//! All mistakes are found at once, each at its place. With none, no rule can fail while it runs.

use std::cell::RefCell;

use serde_yaml::Value;

use super::Rules;
use super::fault::Fault;
use super::load::Files;
use super::rules::Source;
use super::schema::Schema;
use crate::ir::value::Type;

mod carried;
mod known;
mod lift;
mod logic;
mod lower;
mod missing;
mod names;
mod pages;
mod place;
mod range;
mod reach;
mod tables;
mod types;
mod uses;

use place::Place;
pub use place::Trees;

/// Checks the rules; `trees` are the files they were read from, `over` those that were laid over others.
pub fn check(rules: &Rules, trees: &Trees, over: Option<&Files>) -> Vec<Fault> {
    let book = Book { rules, trees, over, faults: RefCell::default() };
    known::check(&book);
    tables::check(&book);
    range::check(&book);
    for source in &rules.sources {
        lift::source(&book, source);
    }
    for target in &rules.targets {
        lower::target(&book, target);
    }
    pages::check(&book);
    let mut faults = book.faults.into_inner();
    faults.sort();
    faults.dedup();
    faults
}

/// The rules under check, and where the mistakes go.
struct Book<'r> {
    rules: &'r Rules,
    trees: &'r Trees,
    over: Option<&'r Files>,
    faults: RefCell<Vec<Fault>>,
}

impl<'r> Book<'r> {
    /// Notes a mistake.
    fn tell(&self, place: &Place, message: impl Into<String>, help: Option<String>) {
        self.tell_inside(place, "", message, help);
    }

    /// Notes a mistake where `part` stands in the text at the place.
    fn tell_inside(
        &self,
        place: &Place,
        part: &str,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let spot = place.find(self.trees);
        let text = spot.value.and_then(Value::as_str).unwrap_or_default();
        let before =
            text.split_once(part).filter(|_| !part.is_empty()).map_or("", |(before, _)| before);
        self.faults.borrow_mut().push(Fault {
            file: spot.file,
            pointer: spot.pointer,
            inside: before.chars().count(),
            message: message.into(),
            help,
        });
    }

    fn schema(&self, kind: &str) -> Option<&'r Schema> {
        self.rules.index.schemas.iter().find(|schema| *schema.kind == *kind)
    }

    fn source(&self, host: &str) -> Option<&'r Source> {
        self.rules.sources.iter().find(|source| *source.host == *host)
    }

    /// The neutral names of a kind, `events`.
    fn neutral(&self, kind: &str) -> Vec<&'r str> {
        let found = self.rules.index.names.iter().find(|(known, _)| **known == *kind);
        found.map_or(Vec::new(), |(_, names)| names.iter().map(|name| &**name).collect())
    }
}

/// The file that lists the neutral names of a type.
fn list_of(r#type: Type) -> Option<&'static str> {
    match r#type {
        Type::Event => Some("events"),
        Type::Tool => Some("tools"),
        Type::Handler => Some("handlers"),
        Type::Contract => Some("contracts"),
        _ => None,
    }
}

/// How many names a help lists.
const MOST_NAMES: usize = 12;

/// What to do about a name that is none of those known.
fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    let near = known.iter().map(|one| (strsim::damerau_levenshtein(one, name), *one)).min();
    match near {
        Some((distance, near)) if distance * 2 <= name.chars().count().max(2) => {
            Some(format!("did you mean `{near}`?"))
        }
        Some(_) => {
            let more = if known.len() > MOST_NAMES { ", …" } else { "" };
            let first: Vec<&str> = known.into_iter().take(MOST_NAMES).collect();
            Some(format!("known here: {}{more}", first.join(", ")))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests;
