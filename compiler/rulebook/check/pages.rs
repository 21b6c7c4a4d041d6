//! One page per diagnostic: each is raised somewhere, and says what it must.

use std::collections::{BTreeMap, BTreeSet};

use serde_yaml::Value;

use super::super::page::{self, HEADINGS, Page};
use super::uses::{self, Use};
use super::{Book, Place, missing, nearest};
use crate::ir::diagnostic::Severity;

/// All pages and all that raises them.
pub(super) fn check(book: &Book<'_>) {
    let mut uses = uses::all(book);
    uses.extend(missing::uses(book));
    let heads: BTreeMap<&str, &Page> =
        book.rules.pages.heads.iter().map(|(code, page)| (&**code, page)).collect();
    for one in &uses {
        if let Some(page) = heads.get(&*one.code) {
            fits(book, one, page);
            continue;
        }
        let near = nearest(&one.code, heads.keys().copied()).filter(|help| help.starts_with("did"));
        let write = format!("write `diagnostics/en/{}.md`", one.code);
        let help = near.map_or_else(|| write.clone(), |near| format!("{near}; or {write}"));
        book.tell(&one.place, format!("there is no page for `{}`", one.code), Some(help));
    }
    let raised: BTreeSet<&str> = uses.iter().map(|one| &*one.code).collect();
    for code in heads.keys() {
        let file = format!("diagnostics/en/{code}.md");
        // Who lays rules over others may take out the last one that raises a page.
        let is_ours = book.over.is_none_or(|over| over.contains_key(&file));
        let place = Place::file(file);
        if is_ours && !raised.contains(code) && !missing::may_be(book, code) {
            let help = nearest(code, raised.iter().copied()).filter(|help| help.starts_with("did"));
            book.tell(
                &place,
                format!("nothing raises `{code}`"),
                help.or(Some("delete the page".to_owned())),
            );
        }
    }
    for (code, text) in &book.rules.pages.prose {
        shape(book, text, &Place::file(format!("diagnostics/en/{code}.md")));
    }
}

/// Does a place that raises the page give what it asks for?
fn fits(book: &Book<'_>, one: &Use, page: &Page) {
    let file = Place::file(format!("diagnostics/en/{}.md", one.code));
    let lines = [Some(&page.message), page.label.as_ref(), page.help.as_ref()];
    let holes: BTreeSet<&str> =
        lines.into_iter().flatten().flat_map(|line| page::holes(line)).collect();
    for hole in holes.into_iter().filter(|hole| !one.words.iter().any(|word| word == hole)) {
        let known: Vec<&str> = one.words.iter().map(String::as_str).collect();
        let help = format!("words here: {}", known.join(", "));
        book.tell(
            &one.place,
            format!("`{}` has a hole `${{{hole}}}` that nothing fills here", one.code),
            Some(help),
        );
    }
    if one.is_loss && page.severity == Severity::Note {
        let spot = one.place.find(book.trees);
        let message = format!("a note, though something is lost where `{}` raises it", spot.file);
        book.tell(&file.at("severity"), message, Some("make it a warning or an error".to_owned()));
    }
}

/// Three headings in order, each with text behind it; and nothing in the front matter that is for translations.
fn shape(book: &Book<'_>, text: &str, place: &Place) {
    if place
        .at("translates")
        .find(book.trees)
        .value
        .is_some_and(|value| !matches!(value, Value::Null))
    {
        book.tell(&place.at("translates"), "only a page in another language translates one", None);
    }
    let Some((_, prose)) = page::split(text) else { return };
    let mut found: Vec<(&str, bool)> = Vec::new();
    for line in prose.lines() {
        if line.starts_with('#') {
            found.push((line.trim_end(), false));
        } else if let Some((_, has_text)) = found.last_mut() {
            *has_text |= !line.trim().is_empty();
        }
    }
    let headings: Vec<&str> = found.iter().map(|(heading, _)| *heading).collect();
    if headings != HEADINGS {
        let help = format!(
            "a page has these, in this order: {}",
            HEADINGS.map(|one| format!("`{one}`")).join(", ")
        );
        book.tell(place, "the headings are not those of a page", Some(help));
    }
    for (heading, _) in
        found.iter().filter(|(heading, has_text)| HEADINGS.contains(heading) && !has_text)
    {
        book.tell(place, format!("nothing stands under `{heading}`"), None);
    }
}
