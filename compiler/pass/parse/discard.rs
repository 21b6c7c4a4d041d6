//! Documents that a host passes over as a whole, because something in them is not as it must be.

use super::open::Library;
use crate::ir::diagnostic::{Code, Diagnostic};
use crate::ir::fate::Fate;
use crate::ir::manifest::{NodeRef, View};
use crate::rulebook::evaluate::{Scope, Val};
use crate::rulebook::rules::{Discard, Source};
use crate::rulebook::walk::walk;

/// A document that meets a condition, and where.
struct Met<'r> {
    /// The number of its view.
    view: usize,
    node: NodeRef,
    rule: &'r Discard,
    words: Vec<(String, String)>,
}

/// Takes the target's importer off the documents that it passes over.
pub(super) fn by_target(library: &mut Library, source: &Source, rules: &[Discard]) {
    for met in met(library, source, rules, |view| view.readers.target) {
        tell(library, &met);
        if let Some(view) = library.views.get_mut(met.view) {
            view.readers.target = false;
            view.discarded = Some(met.rule.check.rule.clone());
        }
    }
}

/// Takes out the documents that their own host refuses: all that is in them is lost, for one reason each.
pub(super) fn by_source(library: &mut Library, source: &Source) {
    let mut refused: Vec<usize> = Vec::new();
    for met in met(library, source, &source.discards, |view| view.readers.source) {
        let Some(view) = library.views.get(met.view) else { continue };
        if refused.contains(&met.view) {
            continue;
        }
        let start = view.start;
        refused.push(met.view);
        tell(library, &met);
        let document = library.documents.get(start.document as usize);
        let leaves = document.map(|document| document.leaves(start.node)).unwrap_or_default();
        let lost = leaves.into_iter().map(|node| (NodeRef { node, ..start }, Fate::Unsupported));
        library.asked.extend(lost);
    }
    let mut number = 0..;
    library.views.retain(|_| number.next().is_none_or(|at| !refused.contains(&at)));
}

/// Of each rule, the first place of a document that meets it.
fn met<'r>(
    library: &Library,
    source: &Source,
    rules: &'r [Discard],
    reads: impl Fn(&View) -> bool,
) -> Vec<Met<'r>> {
    let mut all = Vec::new();
    for rule in rules {
        let views = library.views.iter().enumerate();
        for (at, view) in views.filter(|(_, view)| view.role == *rule.role && reads(view)) {
            let mut scope = Scope::new(&library.documents, &source.tables, &library.snapshot);
            scope.any_case = source.any_case;
            scope.bind("file", Val::View(view));
            scope.bind("root", Val::Node(view.start));
            if let Some(manifest) = library.manifest() {
                scope.bind("manifest", Val::Node(manifest));
            }
            let depth = scope.names.len();
            for found in walk(&scope, &rule.each, view.start, &mut Vec::new()) {
                scope.names.truncate(depth);
                scope.names.extend(found.names);
                scope.bind("node", Val::Node(found.node));
                if !scope.holds(&rule.check.when) {
                    continue;
                }
                let place = rule.check.at.as_ref().map(|at| scope.eval(at));
                let node = match place {
                    Some(Val::Node(node) | Val::Key(node)) => node,
                    _ => found.node,
                };
                let with = rule.check.with.iter();
                let words =
                    with.map(|(name, with)| (name.to_string(), scope.say(&scope.eval(with))));
                all.push(Met { view: at, node, rule, words: words.collect() });
                break;
            }
        }
    }
    all
}

/// What says no more of the same place than that its type is wrong gives way.
fn tell(library: &mut Library, met: &Met<'_>) {
    let Some(origin) = library.origin(met.node) else { return };
    let check = &met.rule.check;
    let mut diagnostic = Diagnostic::new(check.code.clone(), origin).fate(Fate::Unsupported);
    diagnostic.words.clone_from(&met.words);
    diagnostic.rule = Some(check.rule.clone());
    library.diagnostics.retire(&Code::new("manifest/ill-typed"), &diagnostic.origin);
    library.diagnostics.tell(diagnostic);
    library.discarded.push(met.node);
    library.fatal |= check.fatal;
}
