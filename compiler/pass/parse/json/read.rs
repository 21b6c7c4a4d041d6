//! JSON straight into the nodes of a `Document`, by `serde_json`.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::ir::document::{Document, Key, Kind, NodeId};
use crate::ir::path::RelPath;

/// Why a text is no document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// There is nothing in it.
    Empty,
    /// Its values lie too deep.
    TooDeep,
    /// It has more values than this.
    TooMany(usize),
    /// It is no JSON.
    Malformed(Malformed),
}

/// What is wrong with a text, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    /// What is wrong.
    pub(super) detail: String,
    /// From 1.
    pub(super) line: usize,
    /// From 1, in characters.
    pub(super) column: usize,
}

/// Reads a text into a new document.
pub(super) fn read(file: &RelPath, text: &str, most: usize) -> Result<Document, Fault> {
    if text.trim().is_empty() {
        return Err(Fault::Empty);
    }
    let document = Document::new(file, text.into());
    let mut reader = Reader { document, most, is_full: false };
    // serde_json's own limit on recursion stays on: it keeps deep nesting off our stack.
    let mut json = serde_json::Deserializer::from_str(text);
    let root = Seed { reader: &mut reader, parent: Document::ROOT, key: Key::Root };
    match root.deserialize(&mut json).and_then(|()| json.end()) {
        Ok(()) => Ok(reader.document),
        Err(_) if reader.is_full => Err(Fault::TooMany(most)),
        Err(error) => Err(fault(text, &error)),
    }
}

struct Reader {
    document: Document,
    most: usize,
    is_full: bool,
}

/// Reads the next value as a child of `parent`.
struct Seed<'r> {
    reader: &'r mut Reader,
    parent: NodeId,
    key: Key,
}

impl<'r> Seed<'r> {
    fn push<E: Error>(self, kind: Kind) -> Result<(&'r mut Reader, NodeId), E> {
        let document = &mut self.reader.document;
        if self.key == Key::Root {
            document.set_root(kind);
            return Ok((self.reader, Document::ROOT));
        }
        if document.len() >= self.reader.most {
            self.reader.is_full = true;
            return Err(E::custom("too many values"));
        }
        let id = document.push(self.parent, self.key, kind);
        Ok((self.reader, id))
    }

    fn leaf<E: Error>(self, kind: Kind) -> Result<(), E> {
        self.push(kind).map(|_| ())
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.leaf(Kind::Null)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<(), E> {
        self.leaf(Kind::Flag(flag))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.leaf(Kind::Number(number.to_string().into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.leaf(Kind::Number(number.to_string().into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.leaf(
            serde_json::Number::from_f64(number)
                .map_or(Kind::Null, |number| Kind::Number(number.to_string().into())),
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.leaf(Kind::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let (reader, parent) = self.push(Kind::List)?;
        let mut index = 0;
        while items
            .next_element_seed(Seed { reader: &mut *reader, parent, key: Key::Index(index) })?
            .is_some()
        {
            index += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let (reader, parent) = self.push(Kind::Map)?;
        while let Some(name) = entries.next_key::<Box<str>>()? {
            entries.next_value_seed(Seed { reader: &mut *reader, parent, key: Key::Name(name) })?;
        }
        Ok(())
    }
}

fn fault(text: &str, error: &serde_json::Error) -> Fault {
    let told = error.to_string();
    let sentence = told.split(" at line ").next().unwrap_or_default();
    if sentence == "recursion limit exceeded" {
        return Fault::TooDeep;
    }
    let line = error.line().max(1);
    // serde_json counts a column in bytes.
    let before = error.column().saturating_sub(1);
    let column = text
        .split('\n')
        .nth(line - 1)
        .map_or(0, |line| line.char_indices().take_while(|c| c.0 < before).count());
    Fault::Malformed(Malformed { detail: reworded(sentence).to_owned(), line, column: column + 1 })
}

/// What `serde_json` says, in our words.
fn reworded(sentence: &str) -> &str {
    match sentence {
        "EOF while parsing a list" => "a list is not closed",
        "EOF while parsing an object" => "an object is not closed",
        "EOF while parsing a string" => "a text is not closed",
        "EOF while parsing a value" => "the file ends where a value should stand",
        "expected `:`" => "a `:` is missing after a key",
        "expected `,` or `]`" => "a `,` or `]` is missing",
        "expected `,` or `}`" => "a `,` or `}` is missing",
        "expected ident" => "a word is neither `true`, `false` nor `null`",
        "expected value" => "a value is missing",
        "key must be a string" => "a key is not a text in double quotes",
        "trailing comma" => "a comma has nothing behind it",
        "trailing characters" => "something follows the first value",
        "invalid escape" => "a `\\` is followed by a character that it cannot escape",
        "unexpected end of hex escape" => "a `\\u` lacks its four digits",
        "invalid unicode code point" => "a `\\u` names no character",
        "invalid number" => "a number is misspelled",
        "number out of range" => "a number is too large",
        sentence if sentence.starts_with("control character") => {
            "a text holds an unescaped control character"
        }
        sentence => sentence,
    }
}
