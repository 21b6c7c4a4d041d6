//! Which names are bound where in the rules, and what each means.

use std::sync::Arc;

use super::super::builtin::{file::FACTS, part::COMMAND_PARTS};
use super::super::expression::Literal;
use super::super::rules::Tables;
use super::super::schema::Schema;
use super::super::selector::{Selector, Step};
use crate::ir::route::{Form, Platform};
use crate::ir::value::Type;

/// What a name or an expression means.
#[derive(Clone, Debug)]
pub(super) enum Meaning<'r> {
    /// A value of a type.
    Value(Type),
    /// The document's file.
    File,
    /// A capability of a kind.
    Capability(&'r Schema),
    /// A constant, or a table.
    Constant(&'r Literal),
    /// One of a few words.
    Word(&'static str, Vec<&'static str>),
}

impl<'r> Meaning<'r> {
    /// A node of a document, of whatever type.
    pub(super) const NODE: Meaning<'static> = Meaning::Value(Type::Any);

    /// The type of it.
    pub(super) fn r#type(&self) -> Type {
        match self {
            Meaning::Value(r#type) => *r#type,
            Meaning::File | Meaning::Capability(_) => Type::Any,
            Meaning::Word(..) => Type::Text,
            Meaning::Constant(literal) => literal_type(literal),
        }
    }

    /// What one step further means; or what could have been asked for.
    pub(super) fn step(&self, step: &str) -> Result<Meaning<'r>, Vec<String>> {
        match self {
            Meaning::Value(Type::Any | Type::Map | Type::Json | Type::List) => Ok(Meaning::NODE),
            Meaning::Value(Type::Command) if COMMAND_PARTS.contains(&step) => {
                Ok(Meaning::Value(if step == "args" { Type::Texts } else { Type::Text }))
            }
            Meaning::Value(Type::Command) => {
                Err(COMMAND_PARTS.iter().map(ToString::to_string).collect())
            }
            Meaning::Value(Type::Matcher) if step == "pattern" => Ok(Meaning::Value(Type::Text)),
            Meaning::Value(Type::Matcher) => Err(vec!["pattern".to_owned()]),
            Meaning::File => {
                let fact = FACTS.iter().find(|(name, _)| *name == step);
                let all = || FACTS.iter().map(|(name, _)| (*name).to_owned()).collect();
                fact.map(|(_, r#type)| Meaning::Value(*r#type)).ok_or_else(all)
            }
            Meaning::Capability(schema) => {
                let all = || schema.fields.iter().map(|field| field.name.to_string()).collect();
                schema.field(step).map(|field| Meaning::Value(field.r#type)).ok_or_else(all)
            }
            Meaning::Constant(Literal::Map(map)) => {
                let all = || map.iter().map(|(name, _)| name.to_string()).collect();
                map.iter()
                    .find(|(name, _)| **name == *step)
                    .map(|(_, one)| Meaning::Constant(one))
                    .ok_or_else(all)
            }
            Meaning::Value(_) | Meaning::Constant(_) | Meaning::Word(..) => Err(Vec::new()),
        }
    }
}

/// The type of a constant.
pub(super) fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Flag(_) => Type::Flag,
        Literal::Number(_) => Type::Number,
        Literal::Text(_) => Type::Text,
        Literal::List(_) => Type::Texts,
        Literal::Map(_) => Type::Table,
    }
}

/// The names that an expression may use.
#[derive(Clone)]
pub(super) struct Scope<'r> {
    names: Vec<(Arc<str>, Meaning<'r>)>,
    /// The tables of the host.
    pub(super) tables: &'r Tables,
}

impl<'r> Scope<'r> {
    /// A scope in which only the tables stand.
    pub(super) fn new(tables: &'r Tables) -> Self {
        Scope { names: Vec::new(), tables }
    }

    /// What stands in every expression over a manifest.
    pub(super) fn manifest(tables: &'r Tables) -> Self {
        Scope::new(tables).with("manifest", Meaning::NODE)
    }

    /// What stands in the conditions under which documents are looked for.
    pub(super) fn search(tables: &'r Tables) -> Self {
        Scope::manifest(tables).with("entry", Meaning::NODE)
    }

    /// What stands in every expression over a document.
    pub(super) fn document(tables: &'r Tables) -> Self {
        let nodes = ["front", "root", "mapped", "listing"]
            .iter()
            .fold(Scope::manifest(tables), |scope, name| scope.with(name, Meaning::NODE));
        nodes.with("file", Meaning::File)
    }

    /// What stands in every expression of a target.
    pub(super) fn target(tables: &'r Tables, identity: Option<&'r Schema>) -> Self {
        let forms = vec![Form::Normalised.word(), Form::AsFound.word()];
        let platforms = vec![Platform::Posix.word(), Platform::Windows.word()];
        let scope = Scope::new(tables).with("form", Meaning::Word("form", forms));
        let scope = scope.with("platform", Meaning::Word("platform", platforms));
        identity
            .into_iter()
            .fold(scope, |scope, schema| scope.with("plugin", Meaning::Capability(schema)))
    }

    /// The scope with another name in it.
    pub(super) fn with(mut self, name: &str, meaning: Meaning<'r>) -> Self {
        self.names.retain(|(known, _)| **known != *name);
        self.names.push((name.into(), meaning));
        self
    }

    /// The scope with the names that a selector binds: keys are texts, elements nodes.
    pub(super) fn with_selector(self, selector: &Selector) -> Self {
        selector.0.iter().fold(self, |scope, step| match step {
            Step::Key(_) => scope,
            Step::Each(name) => scope.with(name, Meaning::Value(Type::Text)),
            Step::Element(name) => scope.with(name, Meaning::NODE),
        })
    }

    /// The scope with the names of another, too; a name of two types is of any.
    pub(super) fn join(mut self, other: &Scope<'r>) -> Self {
        for (name, meaning) in &other.names {
            let known = self.names.iter_mut().find(|(known, _)| known == name);
            match known {
                None => self.names.push((name.clone(), meaning.clone())),
                Some((_, one)) if one.r#type() != meaning.r#type() => *one = Meaning::NODE,
                Some(_) => {}
            }
        }
        self
    }

    /// What a name means.
    pub(super) fn name(&self, name: &str) -> Option<&Meaning<'r>> {
        self.names.iter().find(|(known, _)| **known == *name).map(|(_, meaning)| meaning)
    }

    /// The names there are.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(name, _)| &**name)
    }
}
