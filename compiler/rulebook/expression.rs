//! Expressions: what a rule asks and what a field holds, as trees.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::builtin::{self, Builtin};

/// A constant in a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Literal {
    /// `true`, `false`.
    Flag(bool),
    /// `10`, `-3`.
    Number(i64),
    /// `'text'`.
    Text(Arc<str>),
    /// `['a', 'b']`, of constants only.
    List(Vec<Literal>),
    /// Constants by name; in tables and schemas only, expressions cannot write it.
    Map(Vec<(Arc<str>, Literal)>),
}

impl Literal {
    /// The name of its shape.
    pub fn shape(&self) -> &'static str {
        match self {
            Literal::Flag(_) => "flag",
            Literal::Number(_) => "number",
            Literal::Text(_) => "text",
            Literal::List(_) => "list",
            Literal::Map(_) => "map",
        }
    }
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// The function that an expression calls: its name, and its number among the builtins so that a call need not look it up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Callee(Arc<str>, Option<u16>);

impl Callee {
    /// The function of a name, which need not exist.
    pub fn new(name: &str) -> Self {
        let number = builtin::all().position(|known| known.name == name);
        Callee(name.into(), number.and_then(|number| u16::try_from(number).ok()))
    }

    /// The function, if it exists.
    pub fn builtin(&self) -> Option<&'static Builtin> {
        static ALL: OnceLock<Vec<&'static Builtin>> = OnceLock::new();
        ALL.get_or_init(|| builtin::all().collect()).get(usize::from(self.1?)).copied()
    }
}

impl Deref for Callee {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// An expression. A comparison with an absent value is false.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expression {
    /// A constant.
    Literal(Literal),
    /// A list with something in it that is no constant.
    List(Vec<Expression>),
    /// A name and the steps behind it: `item.timeout`, `front.argument-hint`, `manifest.'$schema'`, `table.events`.
    Path(Vec<Arc<str>>),
    /// A builtin with its arguments.
    Call(Callee, Vec<Expression>),
    /// `not a`
    Not(Box<Expression>),
    /// `a and b`
    And(Box<Expression>, Box<Expression>),
    /// `a or b`
    Or(Box<Expression>, Box<Expression>),
    /// `a == b` and its kin.
    Compare(Comparison, Box<Expression>, Box<Expression>),
    /// `a in b`: b is a list, or a table that has a as a key.
    In(Box<Expression>, Box<Expression>),
    /// `a is exec`: the shape of a value.
    Is(Box<Expression>, Arc<str>),
}

impl Expression {
    /// Calls `visit` for this expression and all below it.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        visit(self);
        match self {
            Expression::Literal(_) | Expression::Path(_) => {}
            Expression::List(all) | Expression::Call(_, all) => {
                for one in all {
                    one.walk(visit);
                }
            }
            Expression::Not(one) | Expression::Is(one, _) => one.walk(visit),
            Expression::And(a, b)
            | Expression::Or(a, b)
            | Expression::Compare(_, a, b)
            | Expression::In(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
        }
    }
}
