//! Prompt bodies: the arguments, commands and files that a host puts into them.
//!
//! Neutral spelling: `⟨arguments⟩`, `⟨argument 1⟩` counted from 1. A dollar that means itself is `⟨dollar⟩`.

use super::super::evaluate::Val;
use super::placeholder::{CLOSE, OPEN, at_home, spell};
use super::{Builtin, Call, record};
use crate::ir::value::{Type, Value};

pub(super) const ALL: &[Builtin] = &[
    Builtin {
        name: "arguments",
        takes: &[Type::Any, Type::Any, Type::Text],
        optional: 0,
        gives: Type::Body,
        files: false,
        run: arguments,
        doc: "A body with its arguments in neutral spelling; named ones by the list, `$1` counted from `zero`, or from `one`, where `$$` means a dollar.",
    },
    Builtin {
        name: "with_arguments",
        takes: &[Type::Body],
        optional: 0,
        gives: Type::Body,
        files: false,
        run: with_arguments,
        doc: "A body with its arguments as `$ARGUMENTS`, `$1`, and a dollar that means itself doubled.",
    },
    Builtin {
        name: "ambiguous_arguments",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::List,
        files: false,
        run: ambiguous,
        doc: "The arguments `$1` and above in a body that nowhere shows from where it counts, as `it.text`.",
    },
    Builtin {
        name: "shell_insertions",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::List,
        files: false,
        run: shell_insertions,
        doc: "The commands whose output a body puts in their place, as `it.text`; of a block its first line.",
    },
    Builtin {
        name: "file_insertions",
        takes: &[Type::Any],
        optional: 0,
        gives: Type::List,
        files: false,
        run: file_insertions,
        doc: "The files that a body attaches with `@path`, as `it.text`.",
    },
];

/// What opens a block of commands.
const FENCE: &str = "```!";

/// How many positional arguments are told apart.
const MOST_DIGITS: usize = 4;

fn digits(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end.min(MOST_DIGITS)).unwrap_or_default()
}

/// Does the body show that it counts from 0?
fn shows_zero(body: &str) -> bool {
    body.contains("$ARGUMENTS[")
        || body
            .match_indices("$0")
            .any(|(at, _)| digits(body.get(at + 1..).unwrap_or_default()) == "0")
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn arguments<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(body) = call.text(0) else { return Val::Absent };
    if !body.contains('$') {
        return Val::text(body);
    }
    let names = call.texts(1);
    let from_zero = call.text(2).as_deref() == Some("zero");
    let shift = from_zero && shows_zero(&body);
    let mut out = String::with_capacity(body.len() + 16);
    let mut rest = body.as_str();
    while let Some((before, after)) = rest.split_once('$') {
        // Who counts from one writes a dollar that means itself twice.
        if let Some(behind) = after.strip_prefix('$').filter(|_| !from_zero) {
            out.push_str(before);
            out.push('$');
            rest = behind;
            continue;
        }
        let escaped = from_zero && before.ends_with('\\');
        let (neutral, taken) = argument(after, &names, shift);
        match neutral {
            Some(_) if escaped => {
                out.push_str(before.strip_suffix('\\').unwrap_or(before));
                out.push('$');
                rest = after;
            }
            Some(neutral) => {
                out.push_str(before);
                out.push_str(&neutral);
                let name = neutral.trim_matches([OPEN, CLOSE]);
                let (spelling, behind) = after.split_at_checked(taken).unwrap_or_default();
                call.scope.note_spelling(name, &format!("${spelling}"));
                rest = behind;
            }
            None => {
                out.push_str(before);
                out.push('$');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Val::text(out)
}

/// The argument that begins behind a dollar, neutral, and how many bytes of the text it takes.
fn argument(after: &str, names: &[String], shift: bool) -> (Option<String>, usize) {
    if let Some(rest) = after.strip_prefix("ARGUMENTS[") {
        let number = digits(rest);
        if let Ok(index) = number.parse::<u32>()
            && rest.get(number.len()..).is_some_and(|rest| rest.starts_with(']'))
        {
            return (
                Some(format!("{OPEN}argument {}{CLOSE}", index + 1)),
                "ARGUMENTS[]".len() + number.len(),
            );
        }
    }
    if let Some(rest) = after.strip_prefix("ARGUMENTS")
        && !rest.starts_with(is_word)
    {
        return (Some(format!("{OPEN}arguments{CLOSE}")), "ARGUMENTS".len());
    }
    let number = digits(after);
    if let Ok(index) = number.parse::<u32>() {
        return (Some(format!("{OPEN}argument {}{CLOSE}", index + u32::from(shift))), number.len());
    }
    let word = after.split(|c| !is_word(c)).next().unwrap_or_default();
    match names.iter().position(|name| !word.is_empty() && name == word) {
        Some(at) => (Some(format!("{OPEN}argument {}{CLOSE}", at + 1)), word.len()),
        None => (None, 0),
    }
}

fn with_arguments<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(body) = call.text(0) else { return Val::Absent };
    if !body.contains(['$', OPEN]) {
        return Val::text(body);
    }
    Val::text(spell(&guarded(&body), |name| match name.strip_prefix("argument ") {
        Some(number) => Some(format!("${number}")),
        None if name == "arguments" => Some("$ARGUMENTS".to_owned()),
        None => Some(format!("{OPEN}{name}{CLOSE}")),
    }))
}

/// Doubles each dollar that the target would take for an argument or an escape.
fn guarded(body: &str) -> String {
    let (mut out, mut rest) = (String::new(), body);
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let special = after.starts_with(|c: char| c.is_ascii_digit() || c == '$' || c == OPEN)
            || after.starts_with("ARGUMENTS");
        out.push_str(if special { "$$" } else { "$" });
        rest = after;
    }
    out.push_str(rest);
    out
}

fn list_of_texts<'a>(texts: Vec<&str>) -> Val<'a> {
    let mut once: Vec<&str> = Vec::new();
    for text in texts {
        if !once.contains(&text) {
            once.push(text);
        }
    }
    Val::own(Value::List(once.iter().map(|text| record(&[("text", text)])).collect()))
}

fn ambiguous<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(body) = call.text(0).filter(|body| body.contains('$') && !shows_zero(body)) else {
        return Val::Absent;
    };
    let found = body.match_indices('$').filter_map(|(at, _)| {
        let number = digits(body.get(at + 1..)?);
        (!number.is_empty() && !body.get(..at)?.ends_with('\\'))
            .then(|| body.get(at..=at + number.len()))
            .flatten()
    });
    list_of_texts(found.collect())
}

fn shell_insertions<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(body) = call.text(0) else { return Val::Absent };
    let inline = body.match_indices("!`").filter_map(|(at, _)| {
        let starts = body.get(..at)?.chars().next_back().is_none_or(char::is_whitespace);
        let command = body.get(at + 2..)?.split('`').next()?;
        let is_closed = body.get(at + 2 + command.len()..)?.starts_with('`');
        (starts && is_closed && !command.is_empty() && !command.contains('\n'))
            .then_some((at, command))
    });
    // Of a block, the first line that says something stands for all.
    let blocks = body.match_indices(FENCE).map(|(at, _)| {
        let inside = body.get(at + FENCE.len()..).unwrap_or_default();
        let inside = inside.split("```").next().unwrap_or_default();
        (at, inside.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(FENCE))
    });
    let mut all: Vec<(usize, &str)> = inline.chain(blocks).collect();
    all.sort_unstable();
    let commands: Vec<String> = all.iter().map(|(_, text)| at_home(call, text)).collect();
    list_of_texts(commands.iter().map(String::as_str).collect())
}

fn file_insertions<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(body) = call.text(0) else { return Val::Absent };
    let found = body.match_indices('@').filter_map(|(at, _)| {
        // Asked first, so that a run of signs is read once and not from each of them.
        if !body.get(..at)?.chars().next_back().is_none_or(char::is_whitespace) {
            return None;
        }
        let rest = body.get(at + 1..)?;
        let mut inside = false;
        let ends = |c: char| {
            inside = (inside || c == OPEN) && c != CLOSE;
            !inside && (c.is_whitespace() || ",;)\"'`".contains(c))
        };
        let end = rest.find(ends).unwrap_or(rest.len());
        let path = rest.get(..end)?.trim_end_matches(['.', ':', '?', '!']);
        // A handle or an address is no path: a path has a folder or an extension in it, or is an argument.
        let is_path = path.contains(['/', '.', '$', OPEN]) && !path.contains('@');
        is_path.then(|| body.get(at..=at + path.len())).flatten()
    });
    let found: Vec<String> = found.map(|text| at_home(call, text)).collect();
    list_of_texts(found.iter().map(String::as_str).collect())
}
