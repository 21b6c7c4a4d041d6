//! The law of the normalised form: the package that a plan makes is one that its target takes whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use plugc::io::memory::Memory;
use plugc::io::staged::staged;
use plugc::ir::diagnostic::Diagnostic;
use plugc::ir::fate::Verdict;
use plugc::ir::plan::{Plan, Step};
use plugc::ir::route::{Form, HostName, Platform};
use plugc::ir::snapshot::Snapshot;
use plugc::rulebook::Rulebook;
use plugc::survey::{Wish, survey};
use serde_json::{Value, json};

use crate::compile::{Case, Way, cases};

/// What a target's reader would not know, were it written.
const UNKNOWN: &[&str] = &["document/unknown-key", "manifest/unknown-field"];

/// The editions of the target; each takes what is written for it, and both are sources too.
const EDITIONS: &[&str] = &["reasonix", "reasonix@1"];

/// The package that a plan makes, compiled as the target's own.
fn again(plan: &mut Plan, rulebook: &Rulebook, edition: &str) -> Plan {
    let memory = staged(plan).unwrap_or_else(|fault| panic!("{fault:?}"));
    compile(memory, rulebook, edition)
}

/// A package of an edition, compiled for that edition.
fn compile(memory: Memory, rulebook: &Rulebook, edition: &str) -> Plan {
    let native = HostName::parse(edition);
    let wish = Wish {
        from: Some(native.clone()),
        to: native,
        form: Form::Normalised,
        platform: Platform::Posix,
        entry: None,
    };
    survey(Snapshot::new(Box::new(memory)), rulebook, &wish)
}

/// The files that the plan writes itself; what it copies may hold keys that only other hosts read.
fn written(plan: &Plan) -> BTreeSet<String> {
    let steps = plan.steps.iter().chain(plan.entries.iter().flat_map(|entry| &entry.steps));
    let files = steps.filter_map(|step| match step {
        Step::Write { to: file, .. } | Step::Merge { into: file, .. } => Some(file.clone()),
        Step::Copy { .. } | Step::Link { .. } => None,
    });
    files.collect()
}

fn differences(first: &mut Plan, rulebook: &Rulebook, edition: &str) -> String {
    if first.verdict == Verdict::None {
        return String::new();
    }
    let second = again(first, rulebook, edition);
    let written = written(first);
    let mut told = String::new();
    if second.verdict != Verdict::Full {
        let _ = writeln!(told, "  the verdict is {:?}", second.verdict);
    }
    if second.mapped != first.mapped {
        let _ = writeln!(told, "  {:?} became {:?}", first.mapped, second.mapped);
    }
    let is_unknown = |one: &Diagnostic| {
        UNKNOWN.contains(&one.code.to_string().as_str()) && written.contains(&*one.origin.file)
    };
    for one in second.diagnostics.iter().filter(|one| one.fate.is_loss() || is_unknown(one)) {
        let _ = writeln!(told, "  {} {} {:?}", one.code, one.origin, one.words);
    }
    told
}

/// A case as its own host reads it; a native one also as each edition does.
fn readings(case: Case) -> Vec<Case> {
    let editions = EDITIONS.iter().filter(|_| case.source == "reasonix");
    let read = editions.map(|edition| Case { from: Some((*edition).to_owned()), ..case.clone() });
    let mut all: Vec<Case> = read.collect();
    all.push(case);
    all
}

#[test]
fn what_a_plan_makes_its_target_takes_whole() {
    let rulebook = plugc::builtin::rulebook();
    let mut all = String::new();
    for case in cases().into_iter().flat_map(readings) {
        for edition in EDITIONS {
            let mut first = case.plan(&rulebook, &Way::parse(edition));
            let told = differences(&mut first, &rulebook, edition);
            if !told.is_empty() {
                let from = case.from.as_deref().unwrap_or(&case.source);
                let _ =
                    writeln!(all, "{} from {from} for {edition}\n{told}", case.folder.display());
            }
        }
    }
    assert!(all.is_empty(), "{all}");
}

/// What a hook or server says, in one spelling of each thing that its host takes in several.
fn said(value: &Value) -> BTreeMap<String, Value> {
    let entries = value.as_object().into_iter().flatten();
    let mut all: BTreeMap<String, Value> =
        entries.map(|(key, value)| (key.to_lowercase(), value.clone())).collect();
    for key in ["command", "contextfile", "shell"] {
        if let Some(text) = all.get_mut(key)
            && let Some(trimmed) = text.as_str().map(|text| text.trim().to_owned())
        {
            *text = Value::String(trimmed);
        }
    }
    // A file to read leaves no room for a command; arguments, be they null, leave none for a shell.
    if all.contains_key("contextfile") {
        all.retain(|key, _| !["command", "args", "shell", "shellcommand"].contains(&&**key));
    } else if all.contains_key("args") {
        all.retain(|key, _| !["shell", "shellcommand"].contains(&&**key));
    } else if let Some(shell) = all.get("shell").and_then(Value::as_str).map(str::to_lowercase) {
        all.remove("shellcommand");
        all.insert("shell".to_owned(), Value::String(shell));
    }
    all.retain(|key, value| match &**key {
        "async" | "shellcommand" => *value == Value::Bool(true),
        "payloadformat" => value == "claude",
        "args" => true,
        "shell" | "type" => value.as_str().is_some_and(|text| !text.trim().is_empty()),
        _ => !value.is_null(),
    });
    all
}

/// Where an entry of a native manifest is written as something else than it was.
fn rewritten(case: &Case, plan: &Plan) -> String {
    let path = case.folder.join("plugin/reasonix-plugin.json");
    let Ok(Ok(manifest)) = std::fs::read(path).map(|bytes| serde_json::from_slice::<Value>(&bytes))
    else {
        return String::new();
    };
    let mut told = String::new();
    for entry in plan.entries.iter().filter(|one| &*one.origin.file == "reasonix-plugin.json") {
        let at = entry.origin.pointer.as_str();
        let is_one = ["hook", "mcp-server"].contains(&&*entry.kind);
        let (Some(old), true) = (manifest.pointer(at).map(said), is_one) else { continue };
        for step in &entry.steps {
            let Step::Merge { value, at: keys, .. } = step else { continue };
            let mut new = said(value);
            // How it is spoken to may be said in so many words.
            if !old.contains_key("type") {
                new.remove("type");
            }
            if new.get("args") == Some(&json!([])) && old.get("args") == Some(&Value::Null) {
                new.insert("args".to_owned(), Value::Null);
            }
            let is_called = &*entry.kind != "mcp-server"
                || keys.last().is_some_and(|name| at.ends_with(&format!("/{name}")));
            if old != new || !is_called {
                let _ = writeln!(told, "  {at}: {old:?}\n  became {new:?} at {keys:?}");
            }
        }
    }
    told
}

#[test]
fn what_a_native_manifest_says_is_written_as_it_is() {
    let rulebook = plugc::builtin::rulebook();
    let mut all = String::new();
    for case in cases().into_iter().filter(|case| case.source == "reasonix").flat_map(readings) {
        for edition in EDITIONS {
            let told = rewritten(&case, &case.plan(&rulebook, &Way::parse(edition)));
            if !told.is_empty() {
                let from = case.from.as_deref().unwrap_or(&case.source);
                let _ =
                    writeln!(all, "{} from {from} for {edition}\n{told}", case.folder.display());
            }
        }
    }
    assert!(all.is_empty(), "{all}");
}

const HOOKS: &str = "hooks/hooks.json";
const SERVERS: &str = ".mcp.json";

/// Files beside a manifest of the first edition that it refuses: for which rule, in the order of the rules.
const REFUSED: &[(&str, &str, &str)] = &[
    (HOOKS, "hooks-repaired", r#"{ "hooks": {}, }"#),
    (HOOKS, "hooks-no-object", "[]"),
    (HOOKS, "hooks-unwrapped", r#"{ "Stop": [] }"#),
    (HOOKS, "hooks-ill-typed", r#"{ "hooks": [] }"#),
    (HOOKS, "event-ill-typed", r#"{ "hooks": { "Stop": {} } }"#),
    (HOOKS, "group-no-object", r#"{ "hooks": { "Stop": [7] } }"#),
    (HOOKS, "group-text", r#"{ "hooks": { "Stop": [{ "Matcher": 7 }] } }"#),
    (HOOKS, "group-ill-typed", r#"{ "hooks": { "Stop": [{ "hooks": {} }] } }"#),
    (HOOKS, "hook-no-object", r#"{ "hooks": { "Stop": [{ "hooks": [7] }] } }"#),
    (
        HOOKS,
        "hook-text",
        r#"{ "hooks": { "Stop": [{ "hooks": [{ "command": "x" }, { "if": 7 }] }] } }"#,
    ),
    (HOOKS, "hook-flag", r#"{ "hooks": { "Stop": [{ "hooks": [{ "async": "true" }] }] } }"#),
    (HOOKS, "timeout-ill-typed", r#"{ "hooks": { "Stop": [{ "hooks": [{ "timeout": 1.5 }] }] } }"#),
    (HOOKS, "hook-args", r#"{ "hooks": { "Stop": [{ "hooks": [{ "args": "a" }] }] } }"#),
    (HOOKS, "hook-argument", r#"{ "hooks": { "Stop": [{ "hooks": [{ "args": [7] }] }] } }"#),
    (HOOKS, "hook-env", r#"{ "hooks": { "Stop": [{ "hooks": [{ "env": [] }] }] } }"#),
    (HOOKS, "hook-variable", r#"{ "hooks": { "Stop": [{ "hooks": [{ "env": { "A": 7 } }] }] } }"#),
    (SERVERS, "servers-repaired", r#"{ "mcpServers": {}, }"#),
    (SERVERS, "servers-no-object", "[]"),
    (SERVERS, "servers-unwrapped", r#"{ "a": { "command": "/a" } }"#),
    (SERVERS, "servers-ill-typed", r#"{ "mcpServers": [] }"#),
    (SERVERS, "server-no-object", r#"{ "mcpServers": { "a": { "command": "/a" }, "b": 7 } }"#),
    (SERVERS, "server-text", r#"{ "mcpServers": { "a": { "command": "/a", "title": 7 } } }"#),
    (SERVERS, "server-args", r#"{ "mcpServers": { "a": { "command": "/a", "args": "b" } } }"#),
    (SERVERS, "server-argument", r#"{ "mcpServers": { "a": { "command": "/a", "args": [7] } } }"#),
    (SERVERS, "server-map", r#"{ "mcpServers": { "a": { "command": "/a", "headers": [] } } }"#),
    (
        SERVERS,
        "server-variable",
        r#"{ "mcpServers": { "a": { "command": "/a", "env": { "A": 7 } } } }"#,
    ),
    (
        SERVERS,
        "server-header",
        r#"{ "mcpServers": { "a": { "url": "x", "headers": { "A": 7 } } } }"#,
    ),
];

#[test]
fn a_file_beside_the_manifest_is_refused_whole_for_one_value() {
    let rulebook = plugc::builtin::rulebook();
    let first = HostName::parse("reasonix@1");
    let known = rulebook.source(&first).unwrap().discards.iter().map(|one| &*one.check.id);
    assert_eq!(known.collect::<Vec<_>>(), REFUSED.iter().map(|row| row.1).collect::<Vec<_>>());
    for (file, rule, text) in REFUSED {
        let manifest = r#"{ "apiVersion": "reasonix.io/plugin/v1", "name": "x" }"#;
        let memory = Memory::new().file("reasonix-plugin.json", manifest).file(file, *text);
        let plan = compile(memory, &rulebook, "reasonix@1");
        let told: Vec<&Diagnostic> =
            plan.diagnostics.iter().filter(|one| one.fate.is_loss()).collect();
        let [one] = told.as_slice() else { panic!("{text}: {told:?}") };
        assert_eq!(one.rule.as_deref(), Some(&*format!("from/reasonix@1/host#{rule}")), "{text}");
        assert_eq!((plan.verdict, plan.carried()), (Verdict::Partial, 0), "{text}");
    }
}
