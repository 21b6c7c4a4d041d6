//! What a page says of a marketplace itself: whose plugins lose security, what is wrong with its list, and which
//! names its plugins claim twice.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::escape::escape;
use super::row::Row;
use super::section::diagnostics;
use crate::report::market::{Collision, MarketTold};

/// How many names are shown at once.
const MOST_NAMES: usize = 8;

/// How many claimed names are shown at once.
const MOST_CLAIMED: usize = 15;

/// What a page about a marketplace is called.
pub(super) fn title(market: &MarketTold) -> &str {
    market.name.as_deref().unwrap_or("A marketplace without a name")
}

/// Where it lies, and which share of it is told of.
pub(super) fn place(market: &MarketTold) -> String {
    let mut out =
        format!("<p class=\"place\">marketplace <code><bdi>{}</bdi></code>", escape(&market.path));
    if let Some(shard) = &market.shard {
        let _ = write!(out, ", share <strong>{}</strong> of its plugins", escape(shard));
    }
    out + "</p>\n"
}

/// The plugins that lose security, by name.
pub(super) fn insecure(rows: &[&Row]) -> String {
    let all: Vec<String> = numbered(rows)
        .filter(|(_, row)| row.security() > 0)
        .map(|(number, row)| format!("{} ({})", link(number, &row.name), row.security()))
        .collect();
    if all.is_empty() {
        return String::new();
    }
    let whose = if all.len() == 1 { "plugin loses" } else { "plugins lose" };
    let count = all.len();
    format!(
        "<h3><span class=\"loss security\">{count} {whose} security</span></h3>\n{}",
        names(&all)
    )
}

/// What there is to tell of the list itself.
pub(super) fn list(market: &MarketTold) -> String {
    if market.diagnostics.is_empty() {
        return String::new();
    }
    let told = diagnostics(&market.diagnostics, &market.documents);
    format!(
        "<section aria-labelledby=\"list\"><h2 id=\"list\">The list itself</h2>\n{told}</section>\n"
    )
}

/// The names that several plugins claim, and who they are.
pub(super) fn collisions(market: &MarketTold, rows: &[&Row]) -> String {
    let Some(all) = &market.collisions else { return String::new() };
    let mut out = String::from(
        "<section aria-labelledby=\"claimed\"><h2 id=\"claimed\">Claimed more than once</h2>\n",
    );
    let sections = Sections::of(rows);
    let (shown, rest) = all.split_at(all.len().min(MOST_CLAIMED));
    if shown.is_empty() {
        out.push_str("<p>No name is claimed by two plugins.</p>\n");
    } else {
        out.push_str(&claimed(shown, "Names that several plugins claim", &sections));
    }
    if !rest.is_empty() {
        let _ = write!(
            out,
            "<details class=\"more\"><summary>{} more</summary>\n{}</details>\n",
            rest.len(),
            claimed(rest, "More names that several plugins claim", &sections)
        );
    }
    out + "</section>\n"
}

/// The columns of claimed names; who claims them stands where a phone still shows it.
const COLUMNS: [&str; 5] = ["kind", "name", "claimed by", "times", "only by case"];

fn claimed(all: &[Collision], caption: &str, sections: &Sections<'_>) -> String {
    let mut out = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\n\
         <table class=\"claimed\"><caption>{caption}</caption>\n<thead><tr>",
    );
    for heading in COLUMNS {
        let _ = write!(out, "<th scope=\"col\">{heading}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for one in all {
        let _ = writeln!(
            out,
            "<tr><td>{}</td><th scope=\"row\"><bdi>{}</bdi></th><td>{}</td>\
             <td class=\"number\">{}</td><td>{}</td></tr>",
            escape(&one.kind),
            escape(&one.name),
            names(&sections.claimants(one)),
            one.plugins.len(),
            if one.only_by_case { "yes" } else { "no" },
        );
    }
    out + "</tbody></table>\n</div>\n"
}

/// The sections of plugins, by what the plugins are called where they claim something.
struct Sections<'r>(BTreeMap<&'r str, Vec<usize>>);

impl<'r> Sections<'r> {
    fn of(rows: &[&'r Row]) -> Self {
        let mut all: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, row) in numbered(rows) {
            if let Some(listed) = &row.listed {
                all.entry(&listed.claimant).or_default().push(number);
            }
        }
        Sections(all)
    }

    /// Who claims a name, as links where it is certain which plugin is meant.
    fn claimants(&self, one: &Collision) -> Vec<String> {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        let mut all = Vec::new();
        for whose in &one.plugins {
            let nth = seen.entry(whose).or_default();
            let number = match self.0.get(whose.as_str()).map(Vec::as_slice) {
                Some([only]) => Some(only),
                // Each claims its own name once, in the order of the list; what else is claimed may be of any of them.
                Some(several) if one.kind == "plugin" => several.get(*nth),
                _ => None,
            };
            *nth += 1;
            let named = || format!("<bdi>{}</bdi>", escape(whose));
            all.push(number.map_or_else(named, |number| link(*number, whose)));
        }
        all
    }
}

fn numbered<'a, 'r>(rows: &'a [&'r Row]) -> impl Iterator<Item = (usize, &'r Row)> + use<'a, 'r> {
    rows.iter().enumerate().map(|(at, row)| (at + 1, *row))
}

/// A name that leads to the section of its plugin.
pub(super) fn link(number: usize, name: &str) -> String {
    format!("<a href=\"#plugin-{number}\"><bdi>{}</bdi></a>", escape(name))
}

/// Names that are markup already, the first few at once: a list of hundreds would push all else away.
fn names(all: &[String]) -> String {
    let (shown, rest) = all.split_at(all.len().min(MOST_NAMES));
    let mut out = row_of(shown);
    if !rest.is_empty() {
        let _ = write!(
            out,
            "<details class=\"more\"><summary>{} more</summary>{}</details>",
            rest.len(),
            row_of(rest)
        );
    }
    out
}

fn row_of(names: &[String]) -> String {
    let mut out = String::from("<ul class=\"names\">");
    for name in names {
        let _ = write!(out, "<li>{name}</li>");
    }
    out + "</ul>"
}
