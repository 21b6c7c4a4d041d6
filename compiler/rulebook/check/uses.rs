//! Every place that raises a diagnostic: its code, the words it gives, and whether something is lost.

use super::super::codes;
use super::super::rules::{Check, Lift, Lower, Reads, Role, Source, Target, Unique};
use super::{Book, Place};
use crate::ir::diagnostic::Code;
use crate::ir::fate::Fate;

/// One place that raises a diagnostic.
pub(super) struct Use {
    pub(super) code: String,
    pub(super) words: Vec<String>,
    pub(super) is_loss: bool,
    pub(super) place: Place,
}

/// All of them.
pub(super) fn all(book: &Book<'_>) -> Vec<Use> {
    let mut list = List { uses: Vec::new() };
    for raised in codes::ALL {
        list.add(
            raised.code,
            raised.words,
            raised.is_loss,
            Place::file(format!("diagnostics/en/{}.md", raised.code)),
        );
    }
    for one in &book.rules.sources {
        list.source(one);
    }
    for one in &book.rules.targets {
        list.target(one);
    }
    list.uses
}

struct List {
    uses: Vec<Use>,
}

impl List {
    fn add(&mut self, code: &str, words: &[&str], is_loss: bool, place: Place) {
        // Reports know the names of both hosts.
        let words = words.iter().chain(&["target", "source"]).map(ToString::to_string).collect();
        self.uses.push(Use { code: code.to_owned(), words, is_loss, place });
    }

    fn maybe(&mut self, code: Option<&Code>, words: &[&str], is_loss: bool, place: Place) {
        if let Some(code) = code {
            self.add(code.as_str(), words, is_loss, place);
        }
    }

    fn check(&mut self, check: &Check, more: &[&str], place: &Place) {
        let mut words: Vec<&str> = check.with.iter().map(|(name, _)| &**name).collect();
        words.extend(more);
        if check.each.is_some() {
            words.push("text");
        }
        self.add(check.code.as_str(), &words, check.fate.is_loss(), place.at("diagnostic"));
    }

    fn unique(&mut self, unique: &Unique, place: &Place) {
        self.add(unique.code.as_str(), &["name"], unique.fate.is_loss(), place.at("diagnostic"));
        self.maybe(unique.conflict.as_ref(), &["name"], true, place.at("conflict"));
    }

    fn source(&mut self, source: &Source) {
        let head = Place::host("from", &source.host);
        self.maybe(source.strict.as_ref(), &["key", "path"], true, head.at("strict"));
        self.roles(&source.documents, &head.at("documents"));
        for one in &source.discards {
            self.check(&one.check, &[], &head.at("discards").at(&one.check.id));
        }
        for one in &source.lifts {
            self.lift(one);
        }
    }

    fn roles(&mut self, roles: &[Role], place: &Place) {
        for role in roles {
            for find in &role.finds {
                let place = place.at(&role.name).at(&find.id);
                self.maybe(
                    find.otherwise.as_ref(),
                    &["field", "found", "wanted"],
                    true,
                    place.at("else"),
                );
                self.maybe(find.missing.as_ref(), &["path"], false, place.at("missing"));
                self.maybe(find.replaced.as_ref(), &["folder"], false, place.at("replaced"));
                self.maybe(find.diagnostic.as_ref(), &[], false, place.at("diagnostic"));
            }
        }
    }

    fn lift(&mut self, lift: &Lift) {
        let place = Place::rule(&lift.rule);
        for (key, id, code) in lift
            .shapes
            .iter()
            .map(|one| ("shapes", &one.id, &one.diagnostic))
            .chain(lift.each.iter().map(|one| ("each", &one.id, &one.diagnostic)))
        {
            self.maybe(
                code.as_ref(),
                &[],
                Fate::Adapted.is_loss(),
                place.at(key).at(id).at("diagnostic"),
            );
        }
        for (key, all) in [("refuse", &lift.refuse), ("checks", &lift.checks)] {
            for one in all {
                self.check(one, &[], &place.at(key).at(&one.id));
            }
        }
        for one in &lift.unique {
            self.unique(one, &place.at("unique").at(&one.id));
        }
    }

    fn target(&mut self, target: &Target) {
        for one in &target.lowers {
            self.lower(one);
        }
        for one in &target.reads {
            self.reads(one, &Place::rule(&format!("to/{}/reads/{}", target.host, one.source)));
        }
    }

    fn lower(&mut self, lower: &Lower) {
        let place = Place::rule(&lower.rule);
        for one in &lower.checks {
            self.check(one, &[], &place.at("checks").at(&one.id));
        }
        for (name, one) in &lower.lost {
            self.check(one, &["field"], &place.at("lost").at(name));
        }
        for one in &lower.plan {
            self.unique(one, &place.at("plan").at(&one.id));
        }
    }

    fn reads(&mut self, reads: &Reads, place: &Place) {
        self.roles(&reads.documents, &place.at("documents"));
        for one in &reads.discards {
            self.check(&one.check, &[], &place.at("discards").at(&one.check.id));
        }
        for (kind, one) in &reads.ignored {
            self.check(one, &[], &place.at("ignored").at(kind));
        }
        for one in &reads.lifts {
            self.lift(one);
        }
    }
}
