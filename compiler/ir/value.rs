//! `Type` and `Value`: the closed set of what a capability's fields hold.

use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};

use super::path::RelPath;

/// The type of a field, of an expression, of a builtin's argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Type {
    /// Not known before it runs: a value of a foreign document.
    Any,
    /// A text.
    Text,
    /// True or false.
    Flag,
    /// A number.
    Number,
    /// A time span, in milliseconds.
    Duration,
    /// A path below the plugin's root.
    Path,
    /// What to run.
    Command,
    /// Which tools count.
    Matcher,
    /// A list of tools, each perhaps with a specifier.
    Tools,
    /// A Markdown text with the source's placeholders in it.
    Body,
    /// A list of texts.
    Texts,
    /// Texts by name.
    Map,
    /// A value that is carried as it is.
    Json,
    /// A name out of `schema/events.yaml`.
    Event,
    /// A name out of `schema/tools.yaml`.
    Tool,
    /// A name out of `schema/handlers.yaml`.
    Handler,
    /// A name out of `schema/contracts.yaml`.
    Contract,
    /// A list that a builtin gives, for `each:`.
    List,
    /// A table of the rules.
    Table,
}

impl Type {
    /// The word for it, as schemas write it.
    pub fn word(self) -> &'static str {
        match self {
            Type::Any => "any",
            Type::Text => "text",
            Type::Flag => "flag",
            Type::Number => "number",
            Type::Duration => "duration",
            Type::Path => "path",
            Type::Command => "command",
            Type::Matcher => "matcher",
            Type::Tools => "tools",
            Type::Body => "body",
            Type::Texts => "texts",
            Type::Map => "map",
            Type::Json => "json",
            Type::Event => "event",
            Type::Tool => "tool",
            Type::Handler => "handler",
            Type::Contract => "contract",
            Type::List => "list",
            Type::Table => "table",
        }
    }

    /// What to write for it, in words.
    pub fn phrase(self) -> &'static str {
        match self {
            Type::Flag => "`true` or `false`",
            Type::Number | Type::Duration => "a number",
            Type::Path => "a path",
            Type::Command => "a command",
            Type::Tools => "a list of tools",
            Type::Texts | Type::List => "a list of texts",
            Type::Map | Type::Table => "a map of texts",
            Type::Any | Type::Json => "a value",
            Type::Text
            | Type::Body
            | Type::Matcher
            | Type::Event
            | Type::Tool
            | Type::Handler
            | Type::Contract => "a text",
        }
    }

    /// May a value of this type stand where `wanted` is asked for?
    pub fn fits(self, wanted: Type) -> bool {
        let is_name =
            |t| matches!(t, Type::Event | Type::Tool | Type::Handler | Type::Contract | Type::Path);
        self == wanted
            || self == Type::Any
            || wanted == Type::Any
            || (is_name(self) && wanted == Type::Text)
            || (self == Type::Texts && wanted == Type::List)
    }
}

/// What a host runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// A program and its arguments, each passed as it is.
    Exec {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
    },
    /// A script for a shell; opaque.
    Script {
        /// The text of it.
        script: String,
        /// The shell it asks for, if any.
        #[serde(skip_serializing_if = "Option::is_none")]
        shell: Option<String>,
    },
    /// A file below the plugin's root, run through the host's old shell-command path.
    Legacy {
        /// The command, the root to be put in front of it.
        script: String,
    },
    /// A file that is read into the session instead of running something.
    Context {
        /// The file.
        file: String,
    },
}

impl Command {
    /// The name of its shape, as `is` asks for it.
    pub fn shape(&self) -> &'static str {
        match self {
            Command::Exec { .. } => "exec",
            Command::Script { .. } => "script",
            Command::Legacy { .. } => "legacy",
            Command::Context { .. } => "context",
        }
    }

    /// The shapes there are.
    pub const SHAPES: [&'static str; 4] = ["exec", "script", "legacy", "context"];
}

/// The syntax and anchoring of a matcher's pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// JavaScript's regular expressions, found anywhere in the name.
    Javascript,
    /// Rust's regular expressions, found anywhere in the name.
    Rust,
    /// RE2's regular expressions, which must match the whole name.
    Re2Anchored,
}

/// A tool as a source writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// As it is written, without its specifier.
    pub spelled: String,
    /// Its neutral name, if the source's table knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neutral: Option<String>,
    /// What stands in parentheses behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub specifier: Option<String>,
}

/// Which tools count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matcher {
    /// All of them.
    All,
    /// Those with these names.
    Names(Vec<Tool>),
    /// Those whose name a pattern matches.
    Pattern {
        /// As it is written.
        pattern: String,
        /// In whose syntax.
        dialect: Dialect,
        /// The neutral tools it covers, by the source's table.
        covers: Vec<String>,
    },
}

impl Matcher {
    /// The name of its shape, as `is` asks for it.
    pub fn shape(&self) -> &'static str {
        match self {
            Matcher::All => "all",
            Matcher::Names(_) => "names",
            Matcher::Pattern { .. } => "pattern",
        }
    }

    /// The shapes there are.
    pub const SHAPES: [&'static str; 3] = ["all", "names", "pattern"];
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// True or false.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// A text; also a body, an event, a tool, a handler, a contract.
    Text(String),
    /// A time span in milliseconds.
    Duration(i64),
    /// A path below the plugin's root.
    Path(RelPath),
    /// A list.
    List(Vec<Value>),
    /// Values by name, in the order written.
    Map(Vec<(String, Value)>),
    /// What to run.
    Command(Command),
    /// Which tools count.
    Matcher(Matcher),
    /// A list of tools.
    Tools(Vec<Tool>),
    /// A value that is carried as it is.
    Json(serde_json::Value),
}

impl Value {
    /// The text of it, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            Value::Path(path) => Some(path.as_str()),
            _ => None,
        }
    }

    /// Is it a container without anything in it, or an empty text?
    pub fn is_empty(&self) -> bool {
        match self {
            Value::Text(text) => text.is_empty(),
            Value::List(list) => list.is_empty(),
            Value::Map(map) => map.is_empty(),
            Value::Tools(tools) => tools.is_empty(),
            _ => false,
        }
    }

    /// As a JSON value, for a step or a report.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or(serde_json::Value::Null)
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Flag(flag) => flag.serialize(serializer),
            Value::Number(number) => number.serialize(serializer),
            Value::Text(text) => text.serialize(serializer),
            Value::Path(path) => path.as_str().serialize(serializer),
            Value::List(list) => list.serialize(serializer),
            Value::Map(map) => {
                serializer.collect_map(map.iter().map(|(name, value)| (name, value)))
            }
            Value::Command(command) => command.serialize(serializer),
            Value::Matcher(matcher) => matcher.serialize(serializer),
            Value::Tools(tools) => tools.serialize(serializer),
            Value::Json(json) => json.serialize(serializer),
            Value::Duration(milliseconds) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("milliseconds", milliseconds)?;
                map.end()
            }
        }
    }
}
