//! YAML into the nodes of a `Document`, by saphyr's events.

use std::borrow::Cow;
use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};

use crate::ir::document::{Document, Key, Kind, NodeId};
use crate::ir::snapshot::LARGEST_DOCUMENT;

use super::{DEEPEST, MOST_VALUES};

/// Why a text is no front matter.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Its values lie too deep.
    TooDeep,
    /// It has too many values, once its aliases are followed.
    TooMany,
    /// It is no YAML, or no map.
    Invalid {
        /// What is wrong.
        detail: String,
        /// In which of its lines, from 1.
        line: usize,
    },
}

/// Adds the map that a text holds to the root of a document.
pub(super) fn read(document: &mut Document, text: &str) -> Result<(), Fault> {
    let mut parser = Parser::new_from_str(text);
    let mut tree = Tree {
        document,
        open: Vec::new(),
        anchors: BTreeMap::new(),
        copied: 0,
        is_begun: false,
        line: 1,
    };
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| fault(&error))?;
        tree.line = span.start.line();
        tree.take(event)?;
    }
    Ok(())
}

struct Tree<'d> {
    document: &'d mut Document,
    open: Vec<Open>,
    anchors: BTreeMap<usize, Anchor>,
    /// How many bytes of text were copied for aliases.
    copied: u64,
    /// Whether the document has begun; there may be no second one.
    is_begun: bool,
    /// The line of the event at hand.
    line: usize,
}

/// A container whose end has not been seen.
struct Open {
    node: NodeId,
    next: Next,
}

/// What its next event is.
enum Next {
    Key,
    Value(Box<str>),
    Element(u32),
}

/// What an alias may ask for.
#[derive(Clone)]
enum Anchor {
    Scalar(Kind),
    Container(NodeId),
}

impl Tree<'_> {
    fn take(&mut self, event: Event<'_>) -> Result<(), Fault> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain && tag.is_none();
                let kind = scalar(text, is_plain);
                if anchor > 0 {
                    self.anchors.insert(anchor, Anchor::Scalar(kind.clone()));
                }
                self.scalar(kind)
            }
            Event::MappingStart(anchor, _) => self.begin(Kind::Map, Next::Key, anchor),
            Event::SequenceStart(anchor, _) => self.begin(Kind::List, Next::Element(0), anchor),
            Event::MappingEnd | Event::SequenceEnd => {
                self.open.pop();
                Ok(())
            }
            Event::Alias(anchor) => self.alias(anchor),
            Event::DocumentStart(_) if self.is_begun => {
                Err(self.invalid("a second document begins"))
            }
            Event::DocumentStart(_) => {
                self.is_begun = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn scalar(&mut self, kind: Kind) -> Result<(), Fault> {
        match self.open.last_mut() {
            Some(open) if matches!(open.next, Next::Key) => {
                open.next = Next::Value(match kind {
                    Kind::Text(text) => text,
                    _ => Box::default(),
                });
                Ok(())
            }
            Some(_) => self.push(kind).map(|_| ()),
            // Nothing but comments: a map without keys.
            None if kind == Kind::Null => Ok(()),
            None => Err(self.invalid("it is no map")),
        }
    }

    fn begin(&mut self, kind: Kind, next: Next, anchor: usize) -> Result<(), Fault> {
        if self.open.len() + 1 >= DEEPEST {
            return Err(Fault::TooDeep);
        }
        let node = match self.open.last() {
            None if kind == Kind::Map => Document::ROOT,
            None => return Err(self.invalid("it is a list, not a map")),
            Some(Open { next: Next::Key, .. }) => {
                return Err(self.invalid("a key is a list or a map"));
            }
            Some(_) => self.push(kind)?,
        };
        if anchor > 0 {
            self.anchors.insert(anchor, Anchor::Container(node));
        }
        self.open.push(Open { node, next });
        Ok(())
    }

    /// Adds what the innermost container holds next.
    fn push(&mut self, kind: Kind) -> Result<NodeId, Fault> {
        let Some(open) = self.open.last_mut() else { return Err(self.invalid("it is no map")) };
        let parent = open.node;
        let key = match std::mem::replace(&mut open.next, Next::Key) {
            Next::Value(name) => Key::Name(name),
            Next::Element(index) => {
                open.next = Next::Element(index + 1);
                Key::Index(index)
            }
            Next::Key => return Err(self.invalid("a key is a list or a map")),
        };
        self.add(parent, key, kind)
    }

    fn add(&mut self, parent: NodeId, key: Key, kind: Kind) -> Result<NodeId, Fault> {
        if self.document.len() >= MOST_VALUES {
            return Err(Fault::TooMany);
        }
        Ok(self.document.push(parent, key, kind))
    }

    fn alias(&mut self, anchor: usize) -> Result<(), Fault> {
        match self.anchors.get(&anchor).cloned() {
            Some(Anchor::Scalar(kind)) => {
                self.pay(&kind, 0)?;
                self.scalar(kind)
            }
            Some(Anchor::Container(node)) if self.open.iter().any(|open| open.node == node) => {
                Err(self.invalid("an alias lies in what it stands for"))
            }
            Some(Anchor::Container(node)) => {
                let copy = self.push(self.document.kind(node).clone())?;
                self.copy_children(node, copy)
            }
            None => Err(self.invalid("an alias stands for nothing")),
        }
    }

    fn copy_children(&mut self, from: NodeId, to: NodeId) -> Result<(), Fault> {
        let mut left = vec![(from, to, self.open.len() + 1)];
        while let Some((from, to, depth)) = left.pop() {
            if depth >= DEEPEST {
                return Err(Fault::TooDeep);
            }
            let children: Vec<NodeId> = self.document.children(from).collect();
            for child in children {
                let (key, kind) =
                    (self.document.key(child).clone(), self.document.kind(child).clone());
                let length = if let Key::Name(name) = &key { name.len() } else { 0 };
                self.pay(&kind, length)?;
                let copy = self.add(to, key, kind)?;
                if !self.document.is_leaf(child) {
                    left.push((child, copy, depth + 1));
                }
            }
        }
        Ok(())
    }

    /// Few values may still be much text, if each is a long one.
    fn pay(&mut self, kind: &Kind, key: usize) -> Result<(), Fault> {
        let length = if let Kind::Text(text) = kind { text.len() } else { 0 };
        self.copied += (length + key) as u64;
        if self.copied > LARGEST_DOCUMENT { Err(Fault::TooMany) } else { Ok(()) }
    }

    fn invalid(&self, detail: &str) -> Fault {
        Fault::Invalid { detail: detail.to_owned(), line: self.line }
    }
}

/// What a scalar is. Its spelling stays: what type it should have is asked later.
fn scalar(text: Cow<'_, str>, is_plain: bool) -> Kind {
    if is_plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL") {
        return Kind::Null;
    }
    Kind::Text(text.into())
}

fn fault(error: &ScanError) -> Fault {
    if error.info() == "recursion limit exceeded" {
        return Fault::TooDeep;
    }
    Fault::Invalid { detail: reworded(error.info()).to_owned(), line: error.marker().line().max(1) }
}

/// What saphyr says most often, in our words.
fn reworded(sentence: &str) -> &str {
    match sentence {
        "mapping values are not allowed in this context" => "a `: ` stands inside a plain value",
        "while parsing a block mapping, did not find expected key" => {
            "a line is neither a key nor part of the value above"
        }
        "while scanning a block scalar, did not find expected comment or line break" => {
            "a `|` or `>` has text behind it"
        }
        "simple key expect ':'" | "simple key expected" => "a line has no `: `",
        "while scanning an anchor or alias, did not find expected alphabetic or numeric character" => {
            "a value begins with `*` or `&`"
        }
        "while parsing node, found unknown anchor" => {
            "a value begins with `*`, but nothing has that name"
        }
        "block sequence entries are not allowed in this context" => {
            "a `- ` stands where no list may begin"
        }
        "illegal placement of ':' indicator" => "a `:` stands where none may",
        "while parsing a flow mapping, did not find expected ',' or '}'" => {
            "a `,` or `}` is missing"
        }
        "while parsing a flow sequence, expected ',' or ']'" => "a `,` or `]` is missing",
        "while scanning a quoted scalar, found unexpected end of stream" => "a quote is not closed",
        "invalid trailing content after double-quoted scalar" => {
            "something follows a closing quote"
        }
        "tab cannot be used as indentation"
        | "tabs disallowed in this context"
        | "tabs disallowed within this context (block indentation)" => {
            "a line is indented by a tab"
        }
        sentence if sentence.starts_with("unexpected character") => {
            "a value begins with a reserved character"
        }
        sentence if sentence.starts_with("invalid indentation") => "a line is indented too little",
        sentence => sentence,
    }
}
