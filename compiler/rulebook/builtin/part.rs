//! The parts of a value that a rule can name, and the name of its shape.

use super::super::evaluate::{Held, Val};
use crate::ir::value::{Command, Matcher, Value};

/// What `value.step` means.
pub fn of<'a>(value: &'a Value, step: &str) -> Val<'a> {
    match value {
        Value::Map(map) => map
            .iter()
            .find(|(name, _)| name == step)
            .map_or(Val::Absent, |(_, one)| Val::Value(Held::Borrowed(one))),
        Value::Command(command) => of_command(command, step),
        Value::Matcher(Matcher::Pattern { pattern, .. }) if step == "pattern" => {
            Val::text(pattern.clone())
        }
        Value::Json(serde_json::Value::Object(map)) => {
            map.get(step).map_or(Val::Absent, |one| Val::own(Value::Json(one.clone())))
        }
        _ => Val::Absent,
    }
}

/// The parts of a value that rules may name, for the load check.
pub const COMMAND_PARTS: [&str; 5] = ["program", "args", "script", "shell", "file"];

fn of_command(command: &Command, step: &str) -> Val<'static> {
    let text = |text: &String| Val::text(text.clone());
    match (command, step) {
        (Command::Exec { program, .. }, "program") => text(program),
        (Command::Exec { args, .. }, "args") => {
            Val::own(Value::List(args.iter().map(|arg| Value::Text(arg.clone())).collect()))
        }
        (Command::Script { script, .. } | Command::Legacy { script }, "script") => text(script),
        (Command::Script { shell: Some(shell), .. }, "shell") => text(shell),
        (Command::Context { file }, "file") => text(file),
        _ => Val::Absent,
    }
}

/// The name of a value's shape, as `is` asks for it.
pub fn shape(value: &Value) -> &'static str {
    match value {
        Value::Flag(_) => "flag",
        Value::Number(_) | Value::Duration(_) => "number",
        Value::Text(_) | Value::Path(_) => "text",
        Value::List(_) | Value::Tools(_) => "list",
        Value::Map(_) => "map",
        Value::Command(command) => command.shape(),
        Value::Matcher(matcher) => matcher.shape(),
        Value::Json(json) => match json {
            serde_json::Value::Null => "absent",
            serde_json::Value::Bool(_) => "flag",
            serde_json::Value::Number(_) => "number",
            serde_json::Value::String(_) => "text",
            serde_json::Value::Array(_) => "list",
            serde_json::Value::Object(_) => "map",
        },
    }
}

/// The shapes of foreign values.
pub const SHAPES: [&str; 6] = ["absent", "flag", "number", "text", "list", "map"];
