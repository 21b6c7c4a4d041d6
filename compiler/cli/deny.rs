//! What is answered with no.

use clap::Args;

use super::Unasked;
use crate::ir::diagnostic::{Code, Loss, Severity};
use crate::ir::fate::Verdict;
use crate::report::told::Report;
use crate::rulebook::Rulebook;

/// The option that says what is answered with no.
#[derive(Args)]
pub(super) struct DenyOptions {
    /// Answer no for these: `warnings`, `partial`, `security` or a code. May be given several times.
    #[arg(long, value_name = "WHAT")]
    deny: Vec<String>,
}

impl DenyOptions {
    /// Is all of it known?
    pub(super) fn check(&self, rulebook: &Rulebook) -> Result<(), Unasked> {
        for deny in &self.deny {
            let is_word = ["warnings", "partial", "security"].contains(&deny.as_str());
            if !is_word && rulebook.page(&Code::new(deny)).is_none() {
                return Err(Unasked(format!(
                    "--deny {deny}: neither `warnings`, `partial`, `security` nor a code"
                )));
            }
        }
        Ok(())
    }

    /// Is something of it in a report?
    pub(super) fn is_denied(&self, report: &Report) -> bool {
        let told = &report.diagnostics;
        self.deny.iter().any(|deny| match deny.as_str() {
            "warnings" => told.iter().any(|one| one.severity != Severity::Note),
            "partial" => report.verdict != Verdict::Full,
            "security" => told.iter().any(|one| one.loss == Some(Loss::Security)),
            code => told.iter().any(|one| one.code == code),
        })
    }
}
