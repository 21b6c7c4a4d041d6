//! Where a selector leads in a document.

use super::evaluate::{Scope, Val};
use super::selector::{Selector, Step};
use crate::ir::document::Kind;
use crate::ir::manifest::NodeRef;

/// A node that a selector leads to, with the names that were bound on the way.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// The node.
    pub node: NodeRef,
    /// The names, the outermost first.
    pub names: Vec<(&'a str, Val<'a>)>,
}

/// All nodes that a selector leads to from `start`; nodes at which it could not go on are added to `stuck`.
pub fn walk<'a>(
    scope: &Scope<'a>,
    selector: &'a Selector,
    start: NodeRef,
    stuck: &mut Vec<NodeRef>,
) -> Vec<Found<'a>> {
    let mut at = vec![Found { node: start, names: Vec::new() }];
    for step in &selector.0 {
        let mut next = Vec::new();
        for found in at {
            take(scope, step, found, &mut next, stuck);
        }
        at = next;
    }
    at
}

fn take<'a>(
    scope: &Scope<'a>,
    step: &'a Step,
    from: Found<'a>,
    next: &mut Vec<Found<'a>>,
    stuck: &mut Vec<NodeRef>,
) {
    let kind = scope.kind(from.node);
    match step {
        Step::Key(name) => match scope.child(from.node, name) {
            Some(node) => next.push(Found { node, names: from.names }),
            // A map without the key is no wrong shape: what else it holds is judged key by key.
            None if matches!(kind, Kind::Map) => {}
            None => stuck.push(from.node),
        },
        Step::Each(name) if matches!(kind, Kind::Map) => {
            next.extend(
                children(scope, &from).map(|node| bound(&from, name, Val::Key(node), node)),
            );
        }
        Step::Element(name) if matches!(kind, Kind::List) => {
            next.extend(
                children(scope, &from).map(|node| bound(&from, name, Val::Node(node), node)),
            );
        }
        Step::Each(_) | Step::Element(_) => stuck.push(from.node),
    }
}

fn children<'s>(scope: &'s Scope<'_>, from: &Found<'_>) -> impl Iterator<Item = NodeRef> + 's {
    let at = from.node;
    let document = scope.document(at);
    document.into_iter().flat_map(move |document| {
        document
            .children(at.node)
            .filter(|&node| !document.is_shadowed(node))
            .map(move |node| NodeRef { node, ..at })
    })
}

fn bound<'a>(from: &Found<'a>, name: &'a str, val: Val<'a>, node: NodeRef) -> Found<'a> {
    let mut names = from.names.clone();
    names.push((name, val));
    Found { node, names }
}
