//! The books: each leaf with the worst of what became of it.

use super::Done;
use crate::ir::document::Document;
use crate::ir::fate::Fate;
use crate::ir::manifest::NodeRef;
use crate::ir::plugin::Ledger;

/// The books: each leaf with the worst of what became of it.
pub(super) fn account(
    documents: &[Document],
    mut ledger: Ledger,
    done: &Done,
) -> Vec<(NodeRef, Fate)> {
    for flow in std::mem::take(&mut ledger.flows) {
        let Some(outcome) = done.outcomes.get(flow.capability as usize) else { continue };
        let own = outcome.entry.fate;
        let fate = if own.arrives() {
            flow.field
                .and_then(|field| outcome.fields.get(field as usize))
                .copied()
                .unwrap_or(Fate::Exact)
        } else {
            own
        };
        ledger.give(flow.leaf, fate);
    }
    for outcome in &done.outcomes {
        for &(part, fate) in &outcome.parts {
            let leaves = documents
                .get(part.document as usize)
                .map(|document| document.leaves(part.node))
                .unwrap_or_default();
            for node in leaves {
                ledger.give(NodeRef { node, ..part }, fate);
            }
        }
    }
    let mut account = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        let Ok(number) = u32::try_from(number) else { break };
        let mut nodes = if document.has_whole() { vec![Document::WHOLE] } else { Vec::new() };
        nodes.extend(
            document
                .leaves(Document::ROOT)
                .into_iter()
                .filter(|&node| node != Document::ROOT || !document.has_whole()),
        );
        for node in nodes {
            let at = NodeRef { document: number, node };
            let fate = ledger.fate(at).unwrap_or(Fate::Inert);
            account.push((at, if done.fatal { fate.max(Fate::Unsupported) } else { fate }));
        }
    }
    account
}
