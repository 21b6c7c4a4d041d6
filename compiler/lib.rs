//! plugc, a compiler for agent plugins: source → Snapshot → Manifest → Plugin → Plan.
#![doc = include_str!("README.md")]

pub mod ir;
pub mod rulebook;

pub mod pass;

pub mod convert;
pub mod entry;
pub mod io;
pub mod market;
pub mod report;
pub mod source;
pub mod standing;
pub mod survey;

pub mod cli;

#[cfg(test)]
mod tidy;

use ir::document::Document;
use ir::plan::Plan;
use ir::route::Route;
use ir::snapshot::Snapshot;
use pass::parse::Given;
use rulebook::Rulebook;

/// Compiles a plugin along one route: source host, target host, form and platform.
/// The entry of a list of plugins, if it came from one, is part of what the package says.
pub fn compile(
    snapshot: Snapshot,
    rulebook: &Rulebook,
    route: &Route,
    entry: Option<&Document>,
) -> Plan {
    let given = Given { entry, manifest: None };
    let manifest = pass::parse::parse(snapshot, rulebook, route, given);
    let plugin = pass::lift::lift(manifest, rulebook, route);
    pass::lower::lower(plugin, rulebook, route)
}

/// The rules that are built into the program.
pub mod builtin {
    use super::rulebook::Rulebook;
    use super::rulebook::load::Files;

    mod digest {
        include!(concat!(env!("OUT_DIR"), "/digest.rs"));
    }

    /// The built-in rulebook, read from its digest.
    pub fn rulebook() -> Rulebook {
        Rulebook::digested(digest::SECTIONS)
    }

    /// The built-in rule files, for `--rules` and for tests.
    pub fn files() -> Files {
        digest::FILES.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }
}
