//! Tables between a host's names and the neutral ones.

use super::super::expression::Literal;
use super::super::rules::Tables;
use super::{Book, Place, nearest};

/// Tables that are called as the lists of neutral names are.
const NEUTRAL: [&str; 5] = ["events", "tools", "handlers", "contracts", "placeholders"];

/// All tables of all hosts: a source's give neutral names, a target's are asked by them.
pub(super) fn check(book: &Book<'_>) {
    for source in &book.rules.sources {
        for (list, rows, place) in neutral(book, "from", &source.host, &source.tables) {
            for (key, row) in rows {
                let Literal::Text(name) = row else {
                    book.tell(&place.at(key), format!("`{key}` is no neutral name"), None);
                    continue;
                };
                one(book, list, name, &place.at(key));
            }
        }
    }
    for target in &book.rules.targets {
        for (list, rows, place) in neutral(book, "to", &target.host, &target.tables) {
            for (key, _) in rows {
                one(book, list, key, &place.at(key));
            }
        }
    }
}

fn one(book: &Book<'_>, list: &str, name: &str, place: &Place) {
    let known = book.neutral(list);
    if !known.contains(&name) {
        let word = list.trim_end_matches('s');
        book.tell(place, format!("`{name}` is no neutral {word}"), nearest(name, known));
    }
}

type Rows<'t> = &'t [(std::sync::Arc<str>, Literal)];

fn neutral<'t>(
    book: &Book<'_>,
    side: &str,
    host: &str,
    tables: &'t Tables,
) -> Vec<(&'static str, Rows<'t>, Place)> {
    let find = |list: &'static str| {
        let (_, table) = tables.iter().find(|(name, _)| **name == *list)?;
        let Literal::Map(rows) = table else { return None };
        Some((list, rows.as_slice(), place(book, side, host, list)))
    };
    NEUTRAL.into_iter().filter_map(find).collect()
}

/// Where a table is written: in a file of tables, or in a rule's `table:`.
fn place(book: &Book<'_>, side: &str, host: &str, table: &str) -> Place {
    let (name, version) = host.split_once('@').unwrap_or((host, ""));
    let base = format!("{side}/{name}/");
    let over = format!("{base}@{version}/");
    let files = book.trees.iter().filter(|(path, _)| {
        path.starts_with(&over)
            || path.strip_prefix(&base).is_some_and(|rest| !rest.starts_with('@'))
    });
    let mut found: Vec<Place> = Vec::new();
    for (path, tree) in files {
        let is_rule = tree.get("lift").is_some() || tree.get("lower").is_some();
        if !is_rule && tree.get(table).is_some() {
            found.push(Place::file(path).at(table));
        } else if tree.get("table").is_some_and(|inner| inner.get(table).is_some()) {
            found.push(Place::file(path).at("table").at(table));
        }
    }
    found.into_iter().next().unwrap_or_else(|| Place::host(side, host))
}
