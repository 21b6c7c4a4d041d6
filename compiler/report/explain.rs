//! What a code, a rule or a kind means.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::ir::diagnostic::Code;
use crate::rulebook::Rulebook;
use crate::rulebook::page;
use crate::rulebook::schema::Schema;

/// How many near names are suggested.
const SUGGESTIONS: usize = 3;

/// The page of a code, the text of a rule's entry or file, the fields of a kind; or that there is no such thing, and
/// what is spelled most like it.
pub fn explain(
    rulebook: &Rulebook,
    files: &BTreeMap<String, String>,
    what: &str,
) -> Result<String, String> {
    if let Some(text) = code(rulebook, what) {
        return Ok(text);
    }
    if let Some(schema) = rulebook.schema(what) {
        return Ok(kind(schema));
    }
    if let Some(text) = rule(files, what) {
        return Ok(text + &tells(rulebook, what));
    }
    let kinds = rulebook.index.schemas.iter().map(|schema| &*schema.kind);
    let mut all: Vec<(usize, &str)> = rulebook
        .codes()
        .chain(kinds)
        .map(|name| (strsim::damerau_levenshtein(name, what), name))
        .collect();
    all.sort_unstable();
    let near: Vec<&str> = all.iter().take(SUGGESTIONS).map(|(_, name)| *name).collect();
    Err(format!(
        "`{}` is no code, rule or kind; near it: {}\n",
        super::text::clean(what),
        near.join(", ")
    ))
}

fn code(rulebook: &Rulebook, code: &str) -> Option<String> {
    let page = rulebook.page(&Code::new(code))?;
    let (_, prose) = page::split(rulebook.prose(code)?)?;
    let loss = page.loss.map(|loss| format!(", loss of {}", loss.word())).unwrap_or_default();
    let mut text = format!("{code} ({}{loss})\n\n  {}\n", page.severity.word(), page.message);
    if let Some(help) = &page.help {
        let _ = writeln!(text, "  help: {help}");
    }
    let _ = writeln!(text, "\n{}", prose.trim());
    Some(text)
}

fn kind(schema: &Schema) -> String {
    let mut text = format!("{}: {}\n\n", schema.kind, schema.doc);
    for field in &schema.fields {
        let optional = if field.optional { ", may be absent" } else { "" };
        let _ = writeln!(
            text,
            "  {} ({}{optional})\n      {}",
            field.name,
            field.r#type.word(),
            field.doc
        );
    }
    text
}

/// The text of a rule: an entry of a file by its id, or the whole file.
fn rule(files: &BTreeMap<String, String>, name: &str) -> Option<String> {
    let (path, id) = name.split_once('#').map_or((name, None), |(path, id)| (path, Some(id)));
    let path = format!("{path}.yaml");
    let (plain, over) = match path.split_once('@') {
        // `to/reasonix@1/hook` is the overlay's file if it has one, else the one it lies over.
        Some((host, rest)) => {
            let (version, file) = rest.split_once('/')?;
            (format!("{host}/{file}"), Some(format!("{host}/@{version}/{file}")))
        }
        None => (path, None),
    };
    let texts = over.iter().chain([&plain]).filter_map(|path| Some((path, files.get(path)?)));
    for (path, text) in texts {
        let Some(id) = id else { return Some(format!("rules/{path}\n\n{text}")) };
        if let Some(entry) = entry(text, id) {
            return Some(format!("rules/{path}\n\n{entry}\n"));
        }
    }
    None
}

/// What a rule tells, where it tells something.
fn tells(rulebook: &Rulebook, rule: &str) -> String {
    let told = super::rules::told_by(rulebook, rule);
    let line = |code: Code| {
        let page = rulebook.page(&code)?;
        Some(format!("\ntells {code}: {}\n", page.message))
    };
    told.and_then(line).unwrap_or_default()
}

/// The lines of a list entry with an id: they go on as long as they are indented more than its dash.
pub(super) fn entry(text: &str, id: &str) -> Option<String> {
    let named = |line: &str| {
        let line = line.trim_start();
        let rest = line.strip_prefix("- {").or(line.strip_prefix("- "))?.trim_start();
        let found = rest.strip_prefix("id:")?.trim_start();
        Some(found.split([',', ' ', '}']).next().unwrap_or_default().trim_matches('"') == id)
    };
    let mut lines = text.lines().skip_while(|line| named(line) != Some(true));
    let first = lines.next()?;
    let indent = first.len() - first.trim_start().len();
    let rest = lines.take_while(|line| {
        line.len() - line.trim_start().len() > indent && !line.trim().is_empty()
    });
    Some(
        std::iter::once(first)
            .chain(rest)
            .map(|line| line.get(indent..).unwrap_or(line))
            .collect::<Vec<_>>()
            .join("\n"),
    )
}
