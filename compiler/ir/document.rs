//! `Document`: one parsed file of a manifest, still in its host's words.

use std::ops::Range;
use std::sync::Arc;

use super::origin::{Origin, push_step};
use super::path::RelPath;

/// A node of a document: its place in the document's list of nodes.
pub type NodeId = u32;

/// No node.
const NONE: NodeId = NodeId::MAX;

/// What a node is called in the container it lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// The root.
    Root,
    /// A key of a map.
    Name(Box<str>),
    /// An element of a list, counted from 0.
    Index(u32),
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// A number, in the spelling of its document.
    Number(Box<str>),
    /// A text.
    Text(Box<str>),
    /// A list; its elements are the node's children.
    List,
    /// A map in the order written; a key that is written twice is there twice.
    Map,
}

#[derive(Clone, Debug)]
struct Node {
    parent: NodeId,
    key: Key,
    kind: Kind,
    first: NodeId,
    last: NodeId,
    next: NodeId,
    /// A later child of the same map has the same key.
    shadowed: bool,
}

/// Whether a Markdown file's front matter could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front {
    /// The document has no such thing: it is JSON, or the file is no text.
    None,
    /// There is none in the file.
    Absent,
    /// It is what it should be.
    Valid,
    /// It is no YAML; keys were recovered line by line.
    Recovered,
    /// It is no YAML and nothing could be recovered.
    Broken,
}

impl Front {
    /// The word for it, as rules write it.
    pub fn word(self) -> &'static str {
        match self {
            Front::None => "none",
            Front::Absent => "absent",
            Front::Valid => "valid",
            Front::Recovered => "recovered",
            Front::Broken => "broken",
        }
    }
}

/// A parsed file: a tree of nodes, and for Markdown the body after the front matter.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file, below the plugin's root.
    pub file: Arc<str>,
    /// The file's text, decoded; what was masked to make it readable is blank.
    pub text: Arc<str>,
    /// What its front matter was like.
    pub front: Front,
    /// Where the body of a Markdown file begins, in bytes of `text`.
    pub body: Option<usize>,
    /// Whether it had to be masked to be read: a host that reads strictly does not read it.
    pub repaired: bool,
    /// Whether the file could be read at all; if not, it is one leaf.
    pub readable: bool,
    /// The pointer of the root, where the document is a part of its file.
    pub base: String,
    /// Where that lies in the text, if somebody has looked: then nobody needs to look through all of it again.
    pub frame: Option<Frame>,
    nodes: Vec<Node>,
}

/// Where a part of a document lies in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// In bytes.
    pub range: Range<usize>,
    /// The line of its first character, from 1.
    pub line: usize,
    /// The column of its first character, from 1.
    pub column: usize,
}

impl Document {
    /// A document with an empty root.
    pub fn new(file: &RelPath, text: Arc<str>) -> Self {
        let root = Node {
            parent: NONE,
            key: Key::Root,
            kind: Kind::Map,
            first: NONE,
            last: NONE,
            next: NONE,
            shadowed: false,
        };
        Document {
            file: file.as_str().into(),
            text,
            front: Front::None,
            body: None,
            repaired: false,
            readable: true,
            base: String::new(),
            frame: None,
            nodes: vec![root],
        }
    }

    /// The root's id.
    pub const ROOT: NodeId = 0;

    /// Stands for the file as one leaf: a Markdown body, or a file that could not be read.
    pub const WHOLE: NodeId = NodeId::MAX;

    /// Is the file as such a leaf of the account?
    pub fn has_whole(&self) -> bool {
        self.body.is_some() || !self.readable
    }

    /// A map of it as a document of its own, with those of its keys that are wanted; places stay what they are.
    #[must_use]
    pub fn part(&self, id: NodeId, wanted: impl Fn(&str) -> bool) -> Document {
        let mut part = Document {
            base: self.origin(id).pointer,
            frame: self.frame.clone().filter(|_| id == Self::ROOT),
            nodes: Vec::new(),
            file: self.file.clone(),
            text: self.text.clone(),
            ..*self
        };
        part.nodes.extend(self.nodes.get(id as usize).map(|root| Node {
            parent: NONE,
            key: Key::Root,
            first: NONE,
            last: NONE,
            next: NONE,
            ..root.clone()
        }));
        let is_wanted =
            |child: &NodeId| matches!(self.key(*child), Key::Name(name) if wanted(name));
        let mut open: Vec<(NodeId, NodeId)> =
            self.children(id).filter(is_wanted).map(|child| (child, Self::ROOT)).collect();
        open.reverse();
        while let Some((old, parent)) = open.pop() {
            let new = part.push(parent, self.key(old).clone(), self.kind(old).clone());
            if self.is_shadowed(old) {
                part.shadow(new);
            }
            let at = open.len();
            open.extend(self.children(old).map(|child| (child, new)));
            if let Some(children) = open.get_mut(at..) {
                children.reverse();
            }
        }
        part
    }

    /// Replaces what the root holds.
    pub fn set_root(&mut self, kind: Kind) {
        if let Some(root) = self.nodes.first_mut() {
            root.kind = kind;
        }
    }

    /// Adds a child; the last of a map's children with one key is the one that counts.
    pub fn push(&mut self, parent: NodeId, key: Key, kind: Kind) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NONE);
        self.nodes.push(Node {
            parent,
            key,
            kind,
            first: NONE,
            last: NONE,
            next: NONE,
            shadowed: false,
        });
        let last = self.nodes.get(parent as usize).map_or(NONE, |node| node.last);
        if let Some(last) = self.nodes.get_mut(last as usize) {
            last.next = id;
        }
        if let Some(parent) = self.nodes.get_mut(parent as usize) {
            if parent.first == NONE {
                parent.first = id;
            }
            parent.last = id;
        }
        id
    }

    /// Marks a child that a later one with the same key replaces.
    pub fn shadow(&mut self, id: NodeId) {
        if let Some(node) = self.nodes.get_mut(id as usize) {
            node.shadowed = true;
        }
    }

    /// Is it replaced by a later key of the same name?
    pub fn is_shadowed(&self, id: NodeId) -> bool {
        self.nodes.get(id as usize).is_some_and(|node| node.shadowed)
    }

    /// What a node holds.
    pub fn kind(&self, id: NodeId) -> &Kind {
        self.nodes.get(id as usize).map_or(&Kind::Null, |node| &node.kind)
    }

    /// What a node is called.
    pub fn key(&self, id: NodeId) -> &Key {
        self.nodes.get(id as usize).map_or(&Key::Root, |node| &node.key)
    }

    /// The container a node lies in.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.nodes.get(id as usize).map(|node| node.parent).filter(|&parent| parent != NONE)
    }

    /// The children of a node, in the order written.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let first = self.nodes.get(id as usize).map_or(NONE, |node| node.first);
        std::iter::successors(Some(first), |&id| self.nodes.get(id as usize).map(|node| node.next))
            .take_while(|&id| id != NONE)
    }

    /// The value of a key in a map: the last one that is written.
    pub fn get(&self, id: NodeId, name: &str) -> Option<NodeId> {
        self.children(id)
            .filter(|&child| matches!(self.key(child), Key::Name(key) if **key == *name))
            .last()
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Has it no node but an empty root?
    pub fn is_empty(&self) -> bool {
        self.nodes.len() <= 1 && self.children(Self::ROOT).next().is_none()
    }

    /// Is it a leaf of the account: a scalar or an empty container?
    pub fn is_leaf(&self, id: NodeId) -> bool {
        self.nodes.get(id as usize).is_some_and(|node| node.first == NONE)
    }

    /// The leaves at and below a node.
    pub fn leaves(&self, id: NodeId) -> Vec<NodeId> {
        let (mut leaves, mut open) = (Vec::new(), vec![id]);
        while let Some(id) = open.pop() {
            if self.is_leaf(id) {
                leaves.push(id);
            } else {
                let at = open.len();
                open.extend(self.children(id));
                if let Some(new) = open.get_mut(at..) {
                    new.reverse();
                }
            }
        }
        leaves
    }

    /// The place of a node.
    pub fn origin(&self, id: NodeId) -> Origin {
        let mut route = Vec::new();
        let mut at = id;
        while let Some(node) = self.nodes.get(at as usize).filter(|node| node.parent != NONE) {
            // An earlier duplicate, and all that lies in it, has the place of the map that holds the duplicate.
            if node.shadowed {
                route.clear();
            } else {
                route.push(&node.key);
            }
            at = node.parent;
        }
        let mut pointer = self.base.clone();
        for key in route.into_iter().rev() {
            match key {
                Key::Root => {}
                Key::Name(name) => push_step(&mut pointer, name),
                Key::Index(index) => push_step(&mut pointer, &index.to_string()),
            }
        }
        Origin { file: self.file.clone(), pointer }
    }

    /// The text of a text node.
    pub fn text_of(&self, id: NodeId) -> Option<&str> {
        match self.kind(id) {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The body of a Markdown file.
    pub fn body_text(&self) -> Option<&str> {
        self.body.and_then(|at| self.text.get(at..))
    }
}
