//! The small languages of the rules: from a text to its tree.
//!
//! The grammars lie in `grammar/` at the root, and pest is named nowhere but in this folder: its pairs never leave it.
//! Foreign texts come here too, so every text gives a tree or a fault, however deep it nests.

mod limits;
pub mod source;
mod tree;
mod words;

use pest::Parser;
use pest::error::{Error, ErrorVariant, InputLocation};

use super::expression::{Expression, Literal};
use super::fault::SyntaxFault;
use super::selector::Selector;
use super::template::{Part, Template};
use parser::{Grammar, Rule};

/// What pest makes of the grammars.
mod parser {
    /// All the grammars in one; `lexical.pest` is what the others share.
    #[derive(pest_derive::Parser)]
    #[grammar = "grammar/lexical.pest"]
    #[grammar = "grammar/expression.pest"]
    #[grammar = "grammar/selector.pest"]
    #[grammar = "grammar/template.pest"]
    #[grammar = "grammar/matcher.pest"]
    #[grammar = "grammar/source.pest"]
    pub(super) struct Grammar;
}

/// A piece of a text that a rule of the grammar covers.
type Pair<'t> = pest::iterators::Pair<'t, Rule>;

/// A tool and what stands in parentheses behind it.
pub type ToolEntry = (String, Option<String>);

/// Reads an expression, such as `hook.event in ['stop']`.
pub fn expression(text: &str) -> Result<Expression, SyntaxFault> {
    limits::check_expression(text, 0..text.len())?;
    tree::expression(&parse(Rule::whole_expression, text)?)
}

/// Reads a selector, such as `{event}[{group}].hooks[{item}]`.
pub fn selector(text: &str) -> Result<Selector, SyntaxFault> {
    let selector = parse(Rule::whole_selector, text)?;
    let steps =
        selector.into_inner().filter(|pair| matches!(pair.as_rule(), Rule::element | Rule::member));
    steps.map(|pair| tree::step(&pair)).collect::<Result<_, _>>().map(Selector)
}

/// Reads a text with holes, such as `see ${item.name}`.
pub fn template_text(text: &str) -> Result<Template, SyntaxFault> {
    for hole in limits::holes(text)? {
        limits::check_expression(text, hole)?;
    }
    let mut parts = Vec::new();
    for pair in parse(Rule::whole_template, text)?.into_inner() {
        tree::add_part(&mut parts, &pair)?;
    }
    Ok(match parts.as_slice() {
        [] => Template::Literal(Literal::Text("".into())),
        [Part::Text(text)] => Template::Literal(Literal::Text(text.clone())),
        [Part::Hole(hole)] => Template::Hole(hole.clone()),
        _ => Template::Text(parts),
    })
}

/// Reads a list of tools as hosts write it, such as `Edit, Bash(git diff:*)`; empty parentheses are none.
pub fn tool_list(text: &str) -> Result<Vec<ToolEntry>, SyntaxFault> {
    limits::check_tools(text)?;
    let tools = parse(Rule::whole_tools, text)?;
    Ok(tools.into_inner().filter(|pair| pair.as_rule() == Rule::tool).map(tree::tool).collect())
}

/// The names in a matcher that is nothing but names, parted by `|` or `,`; `None` if it is a pattern, or has no name.
pub fn matcher_names(text: &str) -> Option<Vec<String>> {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_- ,|".contains(c));
    let names = text.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
    let names: Vec<_> = names.map(str::to_owned).collect();
    (plain && !names.is_empty()).then_some(names)
}

/// The one piece inside the rule for a whole text.
fn parse(whole: Rule, text: &str) -> Result<Pair<'_>, SyntaxFault> {
    let mut pairs = Grammar::parse(whole, text).map_err(|error| syntax_fault(text, &error))?;
    let whole = tree::next(&mut pairs, text)?;
    tree::next(&mut whole.into_inner(), text)
}

/// What pest says, in the words of the language.
fn syntax_fault(text: &str, error: &Error<Rule>) -> SyntaxFault {
    let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
    let message = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => words::expected(positives),
        ErrorVariant::CustomError { message } => message.clone(),
    };
    fault(text, at, message)
}

/// A fault at a byte of a text.
fn fault(text: &str, at: usize, message: impl Into<String>) -> SyntaxFault {
    let before = text.get(..at).unwrap_or(text);
    SyntaxFault {
        at: before.chars().count(),
        line: before.matches('\n').count() + 1,
        column: before.chars().rev().take_while(|c| *c != '\n').count() + 1,
        message: message.into(),
    }
}
