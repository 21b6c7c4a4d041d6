//! `Tree`: files that are known by their paths, wherever their bytes are: in memory, in an archive, in git.
//!
//! Links are followed here, inside the tree and never out of it.

use std::collections::BTreeMap;

use crate::ir::path::{PathFault, RelPath};
use crate::ir::snapshot::{Kind, Listed, Unreadable};

/// So many links are followed on the way to one file.
const MOST_LINKS: usize = 40;

/// What lies at a path. `C` says where a file's bytes are.
#[derive(Clone, Debug)]
pub(super) enum Node<C> {
    File {
        content: C,
        size: u64,
        executable: bool,
    },
    Link(String),
    /// One that may be empty; others are there because something lies in them.
    Folder,
    Special,
    Denied,
}

/// Files, links and folders by their paths.
#[derive(Clone, Debug)]
pub(super) struct Tree<C> {
    nodes: BTreeMap<String, Node<C>>,
}

impl<C> Default for Tree<C> {
    fn default() -> Self {
        Tree { nodes: BTreeMap::new() }
    }
}

impl<C> Tree<C> {
    /// Puts something at a path, and gives what lay there.
    pub(super) fn insert(&mut self, path: String, node: Node<C>) -> Option<Node<C>> {
        self.nodes.insert(path, node)
    }

    /// What lies at exactly that path, no link followed.
    pub(super) fn at(&self, path: &str) -> Option<&Node<C>> {
        self.nodes.get(path)
    }

    /// All that was put, by path.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (&str, &Node<C>)> {
        self.nodes.iter().map(|(path, node)| (path.as_str(), node))
    }

    /// The same with `folder`, in which all lies, as its root.
    pub(super) fn below(self, folder: &str) -> Self {
        let cut = |path: String| path.strip_prefix(folder)?.strip_prefix('/').map(str::to_owned);
        let nodes = self.nodes.into_iter();
        Tree { nodes: nodes.filter_map(|(path, node)| Some((cut(path)?, node))).collect() }
    }

    /// Follows every link in a path, or says what is in the way.
    pub(super) fn walk(&self, path: &RelPath) -> Result<RelPath, Kind> {
        let mut left = stack(path.parts());
        let (mut at, mut links) = (RelPath::root(), 0);
        while let Some(part) = left.pop() {
            let next = match part.as_str() {
                "" | "." => continue,
                ".." => at.parent().ok_or(Kind::Outside)?,
                part => at.child(part),
            };
            match self.nodes.get(next.as_str()) {
                Some(Node::Link(target)) => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(Kind::Loop);
                    }
                    if RelPath::parse(target) == Err(PathFault::Absolute) {
                        return Err(Kind::Outside);
                    }
                    left.extend(stack(target.split('/')));
                }
                Some(Node::Denied) if !left.is_empty() => return Err(Kind::Denied),
                Some(Node::File { .. } | Node::Special) if !left.is_empty() => {
                    return Err(Kind::Missing);
                }
                Some(_) => at = next,
                None if next.is_root() || self.from(&next).next().is_some() => at = next,
                None => return Err(Kind::Missing),
            }
        }
        Ok(at)
    }

    /// What lies below a folder, by the paths from there.
    pub(super) fn from<'a>(
        &'a self,
        folder: &RelPath,
    ) -> impl Iterator<Item = (&'a str, &'a Node<C>)> + use<'a, C> {
        let start = if folder.is_root() { String::new() } else { format!("{folder}/") };
        let from_start = self.nodes.range(start.clone()..);
        from_start.map_while(move |(path, node)| Some((path.strip_prefix(start.as_str())?, node)))
    }

    fn is_link(&self, path: &RelPath) -> bool {
        let Some(folder) = path.parent().and_then(|folder| self.walk(&folder).ok()) else {
            return false;
        };
        matches!(self.at(folder.child(path.name()).as_str()), Some(Node::Link(_)))
    }

    fn node(&self, path: &RelPath) -> Result<&Node<C>, Kind> {
        let at = self.walk(path)?;
        self.at(at.as_str()).ok_or(Kind::Folder)
    }

    /// As [`crate::ir::snapshot::Files::kind`] says.
    pub(super) fn kind(&self, path: &RelPath) -> (Kind, bool) {
        let is_link = self.is_link(path);
        let kind = match self.node(path) {
            Ok(Node::File { size, executable, .. }) => {
                Kind::File { size: *size, executable: *executable }
            }
            Ok(Node::Folder) => Kind::Folder,
            Ok(Node::Special) => Kind::Special,
            Ok(Node::Denied) => Kind::Denied,
            Ok(Node::Link(_)) => Kind::Loop,
            Err(Kind::Missing) if is_link => Kind::Dangling,
            Err(kind) => kind,
        };
        (kind, is_link)
    }

    /// As [`crate::ir::snapshot::Files::list`] says.
    pub(super) fn list(&self, folder: &RelPath, most: usize) -> Option<Vec<Listed>> {
        if self.kind(folder).0 != Kind::Folder {
            return None;
        }
        let names = self.names(&self.walk(folder).ok()?);
        let listed = |name: String| {
            let (kind, link) = self.kind(&folder.child(&name));
            Listed { name, kind, link }
        };
        Some(names.into_iter().take(most).map(listed).collect())
    }

    /// The names in a folder. What lies deeper is passed over in one step, for there may be very much of it.
    fn names(&self, folder: &RelPath) -> Vec<String> {
        let prefix = if folder.is_root() { String::new() } else { format!("{folder}/") };
        let mut names = Vec::new();
        let mut from = prefix.clone();
        while let Some(path) = self.nodes.range(from.clone()..).next().map(|(path, _)| path) {
            let Some(below) = path.strip_prefix(prefix.as_str()) else { break };
            from = if let Some((name, _)) = below.split_once('/') {
                names.push(name.to_owned());
                // `0` is what follows `/`.
                format!("{prefix}{name}0")
            } else {
                names.push(below.to_owned());
                format!("{path}\0")
            };
        }
        // `a-b` sorts between `a` and `a/x`.
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Where the bytes of a regular file are, and how many there are.
    pub(super) fn content(&self, path: &RelPath) -> Result<(&C, u64), Unreadable> {
        match self.node(path) {
            Ok(Node::File { content, size, .. }) => Ok((content, *size)),
            Ok(Node::Denied) | Err(Kind::Denied) => Err(Unreadable::Denied),
            _ => Err(Unreadable::NotAFile(self.kind(path).0)),
        }
    }

    /// As [`crate::ir::snapshot::Files::resolve`] says.
    pub(super) fn resolve(&self, path: &RelPath) -> RelPath {
        self.walk(path).unwrap_or_else(|_| path.clone())
    }
}

/// Parts of a path, the first to be taken first.
fn stack<'a>(parts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut parts: Vec<String> = parts.map(str::to_owned).collect();
    parts.reverse();
    parts
}
