//! Whether the target installs an entry of a list as it stands, once it is known what lies where the entry leads.

use crate::ir::diagnostic::Diagnostics;
use crate::ir::fate::Verdict;
use crate::ir::market::Listing;
use crate::ir::plan::Plan;
use crate::ir::plugin::{Capability, Field, Ledger, Plugin};
use crate::ir::route::{Form, HostName, Route};
use crate::ir::snapshot::Snapshot;
use crate::ir::value::Value;
use crate::pass;
use crate::report::told::{BY_ENTRY, ReasonTold, Report, tell};
use crate::rulebook::Rulebook;
use crate::survey::Wish;

/// What was found where an entry leads.
#[derive(Debug)]
pub struct Seen {
    /// Whose manifest lies there, if one does.
    manifest: Option<String>,
    /// What that calls the plugin.
    name: Option<String>,
    /// Does anything of it arrive?
    arrives: bool,
}

impl From<&Plan> for Seen {
    fn from(plan: &Plan) -> Self {
        let source = plan.route.source.to_string();
        Seen {
            manifest: (!plan.by_entry && !source.is_empty()).then_some(source),
            name: plan.identity.name.clone(),
            arrives: plan.verdict != Verdict::None,
        }
    }
}

impl From<&Report> for Seen {
    fn from(report: &Report) -> Self {
        Seen {
            manifest: report.manifest.clone().filter(|manifest| manifest != BY_ENTRY),
            name: report.name.clone(),
            arrives: report.verdict != Verdict::None,
        }
    }
}

/// What keeps the target from installing an entry: nothing, if it installs it. Of a plugin that was not looked at
/// nothing is `seen`; of one in a repository `commit` is what would pin it.
///
/// As an entry is judged by rules, what was found is given to them as fields of the entry.
pub fn reasons(
    listing: &Listing,
    lister: &HostName,
    seen: Option<Seen>,
    commit: Option<&str>,
    (rulebook, wish): (&Rulebook, &Wish),
) -> Vec<ReasonTold> {
    let mut entry = listing.entry.clone();
    if let Some(seen) = seen {
        set(&mut entry, "read", Some(Value::Flag(true)));
        set(&mut entry, "manifest", seen.manifest.map(Value::Text));
        set(&mut entry, "inner", seen.name.map(Value::Text));
        set(&mut entry, "arrives", Some(Value::Flag(seen.arrives)));
    }
    set(&mut entry, "found", commit.map(|commit| Value::Text(commit.to_owned())));
    let plugin = Plugin {
        host: lister.clone(),
        capabilities: vec![entry],
        documents: Vec::new(),
        ledger: Ledger::default(),
        diagnostics: Diagnostics::default(),
        snapshot: Snapshot::empty(),
        fatal: false,
    };
    let route = Route {
        source: lister.clone(),
        target: wish.to.clone(),
        form: Form::Normalised,
        platform: wish.platform,
    };
    let mut plan = pass::lower::lower(plugin, rulebook, &route);
    plan.diagnostics.retain(|one| one.fate.is_loss());
    let blocking: Vec<_> =
        plan.diagnostics.iter().filter(|one| one.fatal).map(|one| one.code.clone()).collect();
    let told = tell(plan, rulebook, "", false).diagnostics.into_iter();
    told.map(|one| ReasonTold {
        blocks: blocking.iter().any(|code| code.as_str() == one.code),
        code: one.code,
        message: one.message,
        help: one.help,
    })
    .collect()
}

fn set(entry: &mut Capability, name: &str, value: Option<Value>) {
    entry.fields.retain(|field| *field.name != *name);
    let field = |value| Field {
        name: name.into(),
        value,
        origin: None,
        parts: Vec::new(),
        reads: Vec::new(),
    };
    entry.fields.extend(value.map(field));
}
