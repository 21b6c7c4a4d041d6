//! What a command says about the files it runs. A script stays opaque: only placeholders in it are looked at.

use super::super::evaluate::Val;
use super::placeholder::{CLOSE, OPEN};
use super::{Builtin, Call, record};
use crate::ir::path::RelPath;
use crate::ir::snapshot::Kind;
use crate::ir::value::{Command, Type, Value};

pub(super) const ALL: &[Builtin] = &[
    Builtin {
        name: "missing_scripts",
        takes: &[Type::Command],
        optional: 0,
        gives: Type::List,
        files: true,
        run: missing_scripts,
        doc: "Files below the plugin's root that a command names and that are not there, as `it.path`.",
    },
    Builtin {
        name: "locked_scripts",
        takes: &[Type::Command],
        optional: 0,
        gives: Type::List,
        files: true,
        run: locked_scripts,
        doc: "Files that a command runs directly and that lack the execute bit, as `it.path`.",
    },
    Builtin {
        name: "unquoted_roots",
        takes: &[Type::Command],
        optional: 0,
        gives: Type::List,
        files: false,
        run: unquoted_roots,
        doc: "Places in a script where the plugin's root stands outside of quotes, as `it.text`.",
    },
    Builtin {
        name: "quoted_roots",
        takes: &[Type::Command],
        optional: 0,
        gives: Type::Command,
        files: false,
        run: quoted_roots,
        doc: "The command with quotes around each path below the plugin's root that had none.",
    },
];

/// The neutral name of the plugin's root, as scripts carry it.
const ROOT: &str = "⟨plugin-root⟩";

/// A path below the plugin's root in a script.
struct RootPath<'t> {
    /// Where the placeholder begins, in bytes.
    at: usize,
    /// What follows it, if that is plain.
    path: Option<&'t str>,
    /// How many bytes the placeholder and what follows it take.
    len: usize,
    quoted: bool,
}

fn root_paths(script: &str) -> Vec<RootPath<'_>> {
    let mut all = Vec::new();
    for (at, _) in script.match_indices(ROOT) {
        let before = script.get(..at).unwrap_or_default();
        let quote = open_quote(before);
        let rest = script.get(at + ROOT.len()..).unwrap_or_default();
        let ends = |c: char| match quote {
            Some(quote) => c == quote,
            None => c.is_whitespace() || "\"';&|<>()`".contains(c),
        };
        let end = rest.find(ends).unwrap_or(rest.len());
        let tail = rest.get(..end).unwrap_or_default();
        // A quote that closes right behind the root still leaves a plain path outside of it: `"${ROOT}"/x.sh`.
        let behind = rest.get(end..).unwrap_or_default();
        let outside = match quote {
            Some(quote) if tail.is_empty() => behind.strip_prefix(quote).map(|rest| {
                rest.split(|c: char| c.is_whitespace() || "\"';&|<>()`".contains(c))
                    .next()
                    .unwrap_or_default()
            }),
            _ => None,
        };
        let path = outside.unwrap_or(tail);
        let plain = !path.contains(['$', '*', '?', '[', '`', '%', OPEN, '{', '\\']);
        let path = plain.then(|| path.trim_start_matches('/')).filter(|path| !path.is_empty());
        all.push(RootPath { at, path, len: ROOT.len() + tail.len(), quoted: quote.is_some() });
    }
    all
}

/// The quote that is open at the end of a text.
fn open_quote(text: &str) -> Option<char> {
    let (mut open, mut escaped) = (None, false);
    for c in text.chars() {
        match (open, c) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (None, '"' | '\'') => open = Some(c),
            (Some(quote), c) if quote == c => open = None,
            _ => {}
        }
    }
    open
}

fn given(call: &Call<'_, '_>) -> Option<Command> {
    match call.value(0) {
        Some(Value::Command(command)) => Some(command),
        _ => None,
    }
}

/// The paths below the root that a command names.
fn named(command: &Command) -> Vec<String> {
    let of_text = |text: &str| {
        root_paths(text).iter().filter_map(|one| one.path.map(str::to_owned)).collect::<Vec<_>>()
    };
    match command {
        Command::Exec { program, args } => {
            std::iter::once(program).chain(args).filter_map(|text| exec_path(text)).collect()
        }
        Command::Script { script, .. } => of_text(script),
        Command::Legacy { script } => {
            vec![script.split_whitespace().next().unwrap_or_default().to_owned()]
        }
        Command::Context { file } if file.starts_with(ROOT) => {
            exec_path(file).into_iter().collect()
        }
        Command::Context { file } => vec![file.clone()],
    }
}

/// An argument that is a path below the root and nothing else.
fn exec_path(text: &str) -> Option<String> {
    let rest = text.strip_prefix(ROOT)?.trim_start_matches('/');
    (!rest.is_empty() && !rest.contains([OPEN, CLOSE, '$', '*'])).then(|| rest.to_owned())
}

/// Only a name with an extension is surely a file that has to be there before anything runs.
fn is_file_name(path: &RelPath) -> bool {
    path.extension().is_some_and(|extension| {
        extension.len() <= 5 && extension.chars().all(char::is_alphanumeric)
    })
}

fn files<'a>(
    call: &Call<'_, 'a>,
    paths: Vec<String>,
    wanted: impl Fn(&RelPath, &Kind) -> bool,
) -> Val<'a> {
    let mut all: Vec<Value> = Vec::new();
    for text in paths {
        let Ok(path) = RelPath::parse(&text) else { continue };
        let kind = call.scope.snapshot.borrow_mut().kind(&path);
        let one = record(&[("path", path.as_str()), ("text", &text)]);
        if wanted(&path, &kind) && !all.contains(&one) {
            all.push(one);
        }
    }
    Val::own(Value::List(all))
}

fn missing_scripts<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(command) = given(call) else { return Val::Absent };
    let sure = matches!(command, Command::Context { .. } | Command::Legacy { .. });
    files(call, named(&command), |path, kind| {
        let gone = matches!(kind, Kind::Missing | Kind::Dangling | Kind::Outside | Kind::Loop);
        gone && (sure || is_file_name(path)) && !is_written_later(path)
    })
}

/// A database, a log or a state file is written by the plugin itself.
fn is_written_later(path: &RelPath) -> bool {
    matches!(path.extension(), Some("db" | "log" | "pid" | "lock" | "tmp" | "out" | "sock"))
}

fn locked_scripts<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let first = match given(call) {
        Some(Command::Exec { program, .. }) => exec_path(&program),
        Some(Command::Script { script, .. }) => {
            let found = root_paths(&script);
            found
                .first()
                .filter(|one| {
                    script
                        .get(..one.at)
                        .is_some_and(|before| before.trim_matches(['"', '\'', ' ']).is_empty())
                })
                .and_then(|one| one.path.map(str::to_owned))
        }
        _ => None,
    };
    files(call, first.into_iter().collect(), |_, kind| {
        matches!(kind, Kind::File { executable: false, .. })
    })
}

fn unquoted_roots<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(Command::Script { script, .. }) = given(call) else { return Val::Absent };
    let open = root_paths(&script);
    let open = open.iter().filter(|one| !one.quoted);
    Val::own(Value::List(
        open.map(|one| {
            record(&[("text", script.get(one.at..one.at + one.len).unwrap_or_default())])
        })
        .collect(),
    ))
}

fn quoted_roots<'a>(call: &Call<'_, 'a>) -> Val<'a> {
    let Some(command) = given(call) else { return Val::Absent };
    let Command::Script { script, shell } = command else {
        return Val::own(Value::Command(command));
    };
    let (mut out, mut done) = (String::new(), 0);
    for one in root_paths(&script).iter().filter(|one| !one.quoted) {
        out.push_str(script.get(done..one.at).unwrap_or_default());
        out.push('"');
        out.push_str(script.get(one.at..one.at + one.len).unwrap_or_default());
        out.push('"');
        done = one.at + one.len;
    }
    out.push_str(script.get(done..).unwrap_or_default());
    Val::own(Value::Command(Command::Script { script: out, shell }))
}
