//! From the pieces that pest finds to the trees of the rules.

use std::sync::Arc;

use super::super::expression::{Callee, Comparison, Expression, Literal};
use super::super::selector::Step;
use super::super::template::Part;
use super::{Pair, Rule, SyntaxFault, ToolEntry, fault};

/// How deep calls may nest.
const CALLS: usize = 2;

/// What reading a piece gives.
type Read<T> = Result<T, SyntaxFault>;

/// How two sides are joined.
type Join = fn(Box<Expression>, Box<Expression>) -> Expression;

/// The next piece, which the grammar promises.
pub(super) fn next<'t>(pairs: &mut impl Iterator<Item = Pair<'t>>, text: &str) -> Read<Pair<'t>> {
    pairs.next().ok_or_else(|| fault(text, text.len(), "expected more"))
}

/// The tree of an expression.
pub(super) fn expression(pair: &Pair<'_>) -> Read<Expression> {
    inside(pair, CALLS)
}

/// The tree of an expression that may hold so many levels of calls.
fn inside(pair: &Pair<'_>, calls: usize) -> Read<Expression> {
    match pair.as_rule() {
        Rule::expression => joined(pair, Expression::Or, calls),
        Rule::conjunction => joined(pair, Expression::And, calls),
        Rule::negation => negation(pair, calls),
        Rule::comparison => comparison(pair, calls),
        Rule::value => inside(&first(pair)?, calls),
        Rule::group => operands(pair, calls)?.pop().ok_or_else(|| misread(pair)),
        Rule::list => Ok(list(operands(pair, calls)?)),
        Rule::call => call(pair, calls),
        Rule::path => pair
            .clone()
            .into_inner()
            .filter(is_operand)
            .map(|step| key(&step))
            .collect::<Read<_>>()
            .map(Expression::Path),
        _ => literal(pair).map(Expression::Literal),
    }
}

/// Two or more sides, joined from the left; or the only one.
fn joined(pair: &Pair<'_>, join: Join, calls: usize) -> Read<Expression> {
    let sides = operands(pair, calls)?;
    let tree = sides.into_iter().reduce(|left, right| join(Box::new(left), Box::new(right)));
    tree.ok_or_else(|| misread(pair))
}

/// A comparison behind any number of `not`.
fn negation(pair: &Pair<'_>, calls: usize) -> Read<Expression> {
    let count = pair.clone().into_inner().filter(|part| part.as_rule() == Rule::not_word).count();
    let tree = operands(pair, calls)?.pop().ok_or_else(|| misread(pair))?;
    Ok((0..count).fold(tree, |tree, _| Expression::Not(Box::new(tree))))
}

/// A value, alone or held against another.
fn comparison(pair: &Pair<'_>, calls: usize) -> Read<Expression> {
    let mut parts = pair.clone().into_inner();
    let left = inside(&next(&mut parts, pair.get_input())?, calls)?;
    let Some(word) = parts.next() else { return Ok(left) };
    let right = next(&mut parts, pair.get_input())?;
    let left = Box::new(left);
    if word.as_rule() == Rule::is_word {
        return Ok(Expression::Is(left, right.as_str().into()));
    }
    let right = Box::new(inside(&right, calls)?);
    if word.as_rule() == Rule::in_word {
        return Ok(Expression::In(left, right));
    }
    Ok(Expression::Compare(comparator(&first(&word)?)?, left, right))
}

/// How two values are compared.
fn comparator(pair: &Pair<'_>) -> Read<Comparison> {
    match pair.as_rule() {
        Rule::equal => Ok(Comparison::Equal),
        Rule::unequal => Ok(Comparison::Unequal),
        Rule::less => Ok(Comparison::Less),
        Rule::at_most => Ok(Comparison::AtMost),
        Rule::greater => Ok(Comparison::Greater),
        Rule::at_least => Ok(Comparison::AtLeast),
        _ => Err(misread(pair)),
    }
}

/// A call, which uses up one level.
fn call(pair: &Pair<'_>, calls: usize) -> Read<Expression> {
    let Some(left) = calls.checked_sub(1) else {
        return Err(at(pair, format!("calls nest at most {CALLS} deep")));
    };
    let function = first(pair)?;
    Ok(Expression::Call(Callee::new(function.as_str()), operands(pair, left)?))
}

/// A list: a constant if all in it are.
fn list(items: Vec<Expression>) -> Expression {
    let constant = |item: &Expression| match item {
        Expression::Literal(literal) => Some(literal.clone()),
        _ => None,
    };
    match items.iter().map(constant).collect() {
        Some(literals) => Expression::Literal(Literal::List(literals)),
        None => Expression::List(items),
    }
}

/// The trees of the expressions in a piece, without the words and marks between them.
fn operands(pair: &Pair<'_>, calls: usize) -> Read<Vec<Expression>> {
    pair.clone().into_inner().filter(is_operand).map(|part| inside(&part, calls)).collect()
}

/// Does a piece mean something by itself?
fn is_operand(pair: &Pair<'_>) -> bool {
    !matches!(
        pair.as_rule(),
        Rule::and_word
            | Rule::or_word
            | Rule::not_word
            | Rule::comma
            | Rule::dot
            | Rule::function
            | Rule::group_start
            | Rule::group_end
            | Rule::list_start
            | Rule::list_end
    )
}

/// A constant that is no list.
fn literal(pair: &Pair<'_>) -> Read<Literal> {
    match pair.as_rule() {
        Rule::true_word => Ok(Literal::Flag(true)),
        Rule::false_word => Ok(Literal::Flag(false)),
        Rule::text => key(pair).map(Literal::Text),
        Rule::number => pair
            .as_str()
            .parse()
            .map(Literal::Number)
            .map_err(|_| at(pair, "this number is too large")),
        _ => Err(misread(pair)),
    }
}

/// The text of a name, of a step, or of a text in quotes.
fn key(pair: &Pair<'_>) -> Read<Arc<str>> {
    match pair.as_rule() {
        Rule::name | Rule::key => Ok(pair.as_str().into()),
        Rule::step => key(&first(pair)?),
        Rule::text => {
            Ok(pair.clone().into_inner().map(|part| unescaped(&part)).collect::<String>().into())
        }
        _ => Err(misread(pair)),
    }
}

/// What a part of a text in quotes stands for.
fn unescaped<'t>(pair: &Pair<'t>) -> &'t str {
    match pair.as_rule() {
        Rule::plain => pair.as_str(),
        Rule::escape => pair.as_str().strip_prefix('\\').unwrap_or_default(),
        _ => "",
    }
}

/// A step of a selector.
pub(super) fn step(pair: &Pair<'_>) -> Read<Step> {
    let bound = |pair: &Pair<'_>| {
        let name = pair.clone().into_inner().find(|part| part.as_rule() == Rule::name);
        name.map(|name| Arc::from(name.as_str())).ok_or_else(|| misread(pair))
    };
    match pair.as_rule() {
        Rule::member => step(&first(pair)?),
        Rule::element => bound(pair).map(Step::Element),
        Rule::each => bound(pair).map(Step::Each),
        _ => key(pair).map(Step::Key),
    }
}

/// Adds a part of a template; texts next to each other become one.
pub(super) fn add_part(parts: &mut Vec<Part>, pair: &Pair<'_>) -> Read<()> {
    let text = match pair.as_rule() {
        Rule::template_text => pair.as_str(),
        Rule::dollar => "$",
        Rule::hole => {
            let inner = pair.clone().into_inner().find(|part| part.as_rule() == Rule::expression);
            parts.push(Part::Hole(expression(&inner.ok_or_else(|| misread(pair))?)?));
            return Ok(());
        }
        _ => return Ok(()),
    };
    if let Some(Part::Text(before)) = parts.last_mut() {
        *before = format!("{before}{text}").into();
    } else {
        parts.push(Part::Text(text.into()));
    }
    Ok(())
}

/// A tool and its specifier.
pub(super) fn tool(pair: Pair<'_>) -> ToolEntry {
    let mut entry = (String::new(), None);
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::tool_name => part.as_str().clone_into(&mut entry.0),
            Rule::specifier if !part.as_str().is_empty() => {
                entry.1 = Some(part.as_str().to_owned());
            }
            _ => {}
        }
    }
    entry
}

/// The first piece inside another, which the grammar promises.
fn first<'t>(pair: &Pair<'t>) -> Read<Pair<'t>> {
    pair.clone().into_inner().next().ok_or_else(|| misread(pair))
}

/// A fault where a piece begins.
fn at(pair: &Pair<'_>, message: impl Into<String>) -> SyntaxFault {
    fault(pair.get_input(), pair.as_span().start(), message)
}

/// The grammar and this file disagree; no text should ever show it.
fn misread(pair: &Pair<'_>) -> SyntaxFault {
    at(pair, "the grammar allows this, but it has no meaning")
}
