//! The type of each expression, and every mistake on the way to it.

use std::sync::Arc;

use super::super::builtin::{self, Builtin, part};
use super::super::expression::{Comparison, Expression, Literal};
use super::names::{Meaning, Scope, literal_type};
use super::{Book, Place, list_of, nearest};
use crate::ir::value::{Command, Matcher, Type};

/// Expressions of one scope, at one place.
pub(super) struct Typist<'c, 'r> {
    pub(super) book: &'c Book<'r>,
    pub(super) scope: &'c Scope<'r>,
    pub(super) place: Place,
    /// Whether it stands in a hole of a template.
    pub(super) hole: bool,
}

impl<'r> Typist<'_, 'r> {
    fn tell(&self, part: &str, message: String, help: Option<String>) {
        self.book.tell_inside(&self.place, part, message, help);
    }

    /// A condition must be true or false.
    pub(super) fn flag(&self, expression: &'r Expression) {
        self.want(expression, Type::Flag, "a condition");
    }

    /// What an expression means, which must fit a type.
    pub(super) fn want(&self, expression: &'r Expression, wanted: Type, role: &str) -> Meaning<'r> {
        let meaning = self.infer(expression);
        if !meaning.r#type().fits(wanted) {
            let message =
                format!("{role} is {}, and this is {}", noun(wanted), noun(meaning.r#type()));
            self.tell(&text_of(expression), message, None);
        }
        meaning
    }

    /// What an expression means.
    pub(super) fn infer(&self, expression: &'r Expression) -> Meaning<'r> {
        match expression {
            Expression::Literal(literal) => Meaning::Constant(literal),
            Expression::List(all) => {
                for one in all {
                    self.infer(one);
                }
                Meaning::Value(Type::List)
            }
            Expression::Path(path) => self.path(path),
            Expression::Call(name, args) => self.call(name, args),
            Expression::Not(one) => {
                self.want(one, Type::Flag, "what `not` turns round");
                Meaning::Value(Type::Flag)
            }
            Expression::And(a, b) | Expression::Or(a, b) => {
                self.flag(a);
                self.flag(b);
                Meaning::Value(Type::Flag)
            }
            Expression::Compare(how, a, b) => self.compare(*how, a, b),
            Expression::In(a, b) => self.member(a, b),
            Expression::Is(one, shape) => self.shape(one, shape),
        }
    }

    fn path(&self, path: &'r [Arc<str>]) -> Meaning<'r> {
        let Some((first, mut rest)) = path.split_first() else { return Meaning::NODE };
        let whole = path.join(".");
        let mut meaning = match (&**first, rest.split_first()) {
            ("table", Some((name, further))) => {
                rest = further;
                let found = self.scope.tables.iter().find(|(known, _)| known == name);
                let Some((_, table)) = found else {
                    let help = nearest(name, self.scope.tables.iter().map(|(name, _)| &**name));
                    self.tell(&whole, format!("there is no table `{name}`"), help);
                    return Meaning::NODE;
                };
                Meaning::Constant(table)
            }
            _ => match self.scope.name(first) {
                Some(meaning) => meaning.clone(),
                None => return self.unbound(first),
            },
        };
        for (before, step) in (path.len() - rest.len()..).zip(rest) {
            meaning = match meaning.step(step) {
                Ok(next) => next,
                Err(known) => {
                    let help = nearest(step, known.iter().map(String::as_str));
                    let owner = path.get(..before).unwrap_or_default().join(".");
                    let message = match &help {
                        None => format!("`{owner}` has no parts, so `{whole}` means nothing"),
                        Some(_) => format!("`{owner}` has no part `{step}`"),
                    };
                    self.tell(&whole, message, help);
                    return Meaning::NODE;
                }
            };
        }
        meaning
    }

    fn unbound(&self, name: &str) -> Meaning<'r> {
        let mut help = nearest(name, self.scope.names());
        if self.hole {
            let literal = "write `$${` if the text `${` is meant";
            help = Some(help.map_or(literal.to_owned(), |help| format!("{help}; {literal}")));
        }
        self.tell(name, format!("`{name}` is bound to nothing here"), help);
        Meaning::NODE
    }

    fn call(&self, name: &str, args: &'r [Expression]) -> Meaning<'r> {
        let Some(builtin) = builtin::find(name) else {
            for arg in args {
                self.infer(arg);
            }
            let help = nearest(name, builtin::all().map(|builtin| builtin.name));
            self.tell(name, format!("there is no function `{name}`"), help);
            return Meaning::NODE;
        };
        let most = builtin.takes.len();
        let repeats = builtin.optional == usize::MAX;
        let least =
            if repeats { most.saturating_sub(1) } else { most.saturating_sub(builtin.optional) };
        if args.len() < least || (args.len() > most && !repeats) {
            let wanted = if repeats {
                format!("{least} or more")
            } else if least == most {
                most.to_string()
            } else {
                format!("{least} to {most}")
            };
            self.tell(
                name,
                format!("`{name}` takes {wanted} arguments, and here are {}", args.len()),
                None,
            );
        }
        let given: Vec<Meaning<'r>> =
            args.iter().enumerate().map(|(at, arg)| self.argument(builtin, at, arg)).collect();
        self.special(builtin, args, &given)
    }

    fn argument(&self, builtin: &Builtin, at: usize, arg: &'r Expression) -> Meaning<'r> {
        let wanted = builtin.takes.get(at).or(builtin.takes.last()).copied().unwrap_or(Type::Any);
        if let (Some(_), Expression::Literal(literal)) = (list_of(wanted), arg) {
            self.one_of(&Meaning::Value(wanted), literal);
            return Meaning::Constant(literal);
        }
        self.want(arg, wanted, &format!("argument {} of `{}`", at + 1, builtin.name))
    }

    /// Functions whose type depends on what they are given, and patterns.
    fn special(
        &self,
        builtin: &Builtin,
        args: &'r [Expression],
        given: &[Meaning<'r>],
    ) -> Meaning<'r> {
        if let ("matches", Some(Meaning::Constant(Literal::Text(pattern)))) =
            (builtin.name, given.get(1))
            && let Err(error) = regex::Regex::new(pattern)
        {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
            self.tell(
                &args.get(1).map(text_of).unwrap_or_default(),
                format!("`{pattern}` is no regular expression: {reason}"),
                None,
            );
        }
        let choices = match builtin.name {
            "first" => given,
            "choose" => given.get(1..).unwrap_or_default(),
            _ => return Meaning::Value(builtin.gives),
        };
        let mut types = choices.iter().map(Meaning::r#type);
        let one = types.next().filter(|one| types.all(|other| other == *one));
        Meaning::Value(one.unwrap_or(Type::Any))
    }

    fn compare(&self, how: Comparison, a: &'r Expression, b: &'r Expression) -> Meaning<'r> {
        let (left, right) = (self.infer(a), self.infer(b));
        let (one, other) = (left.r#type(), right.r#type());
        let has_order = |t| matches!(t, Type::Number | Type::Duration | Type::Any);
        let is_order = !matches!(how, Comparison::Equal | Comparison::Unequal);
        if !alike(one, other) || (is_order && !(has_order(one) && has_order(other))) {
            let message = format!("{} and {} cannot be compared so", noun(one), noun(other));
            self.tell(&text_of(a), message, None);
        } else {
            match (&left, &right) {
                (subject, Meaning::Constant(literal)) | (Meaning::Constant(literal), subject) => {
                    self.one_of(subject, literal);
                }
                _ => {}
            }
        }
        Meaning::Value(Type::Flag)
    }

    /// A constant that is compared with something out of a closed list must be in it.
    pub(super) fn one_of(&self, subject: &Meaning<'r>, literal: &Literal) {
        let Literal::Text(text) = literal else { return };
        let (word, known) = match subject {
            Meaning::Word(word, known) => (*word, known.clone()),
            Meaning::Value(r#type) => match list_of(*r#type) {
                Some(list) => (r#type.word(), self.book.neutral(list)),
                None => return,
            },
            _ => return,
        };
        if !known.contains(&&**text) {
            self.tell(text, format!("`{text}` is no {word}"), nearest(text, known));
        }
    }

    fn member(&self, a: &'r Expression, b: &'r Expression) -> Meaning<'r> {
        let (subject, all) = (self.infer(a), self.infer(b));
        match &all {
            Meaning::Constant(Literal::List(list)) => {
                for one in list {
                    if alike(subject.r#type(), literal_type(one)) {
                        self.one_of(&subject, one);
                    } else {
                        let message = format!("{} is never among these", noun(subject.r#type()));
                        self.tell(&text_of(a), message, None);
                    }
                }
            }
            Meaning::Constant(Literal::Map(map)) => {
                for (name, _) in map {
                    self.one_of(&subject, &Literal::Text(name.clone()));
                }
            }
            other
                if matches!(other.r#type(), Type::Any | Type::Texts | Type::List | Type::Table) => {
            }
            other => {
                let message = format!(
                    "behind `in` stands a list or a table, and this is {}",
                    noun(other.r#type())
                );
                self.tell(&text_of(b), message, None);
            }
        }
        Meaning::Value(Type::Flag)
    }

    fn shape(&self, one: &'r Expression, shape: &str) -> Meaning<'r> {
        let own: &[&'static str] = match self.infer(one).r#type() {
            Type::Command => &Command::SHAPES,
            Type::Matcher => &Matcher::SHAPES,
            Type::Any => &[],
            _ => &part::SHAPES,
        };
        let all = [&Command::SHAPES[..], &Matcher::SHAPES[..], &part::SHAPES[..]].concat();
        let known = if own.is_empty() { all } else { [own, &["absent"]].concat() };
        if !known.contains(&shape) {
            self.tell(shape, format!("`{shape}` is no shape of this"), nearest(shape, known));
        }
        Meaning::Value(Type::Flag)
    }
}

/// May values of these types be compared?
fn alike(a: Type, b: Type) -> bool {
    let is_text = |t| matches!(t, Type::Text | Type::Body | Type::Path) || list_of(t).is_some();
    a.fits(b) || b.fits(a) || (is_text(a) && is_text(b))
}

/// A type in a sentence.
fn noun(r#type: Type) -> String {
    match r#type {
        Type::Any => "a value of any type".to_owned(),
        Type::Event => "an event".to_owned(),
        Type::Texts => "a list of texts".to_owned(),
        Type::Tools => "a list of tools".to_owned(),
        Type::Json => "a JSON value".to_owned(),
        other => format!("a {}", other.word()),
    }
}

/// What to look for in the text of a rule to find an expression.
pub(super) fn text_of(expression: &Expression) -> String {
    match expression {
        Expression::Path(path) => path.join("."),
        Expression::Call(name, _) => name.to_string(),
        Expression::Literal(Literal::Text(text)) => text.to_string(),
        Expression::Literal(Literal::Number(number)) => number.to_string(),
        Expression::Not(one) | Expression::Is(one, _) => text_of(one),
        Expression::And(a, _)
        | Expression::Or(a, _)
        | Expression::Compare(_, a, _)
        | Expression::In(a, _) => text_of(a),
        _ => String::new(),
    }
}
