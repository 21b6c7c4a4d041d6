//! The small languages of the rules: what each text gives, as `golden/grammar/*.txt` has it.
//!
//! In those files a line of input is followed by a line with `=>` and its tree or error.
//! Lines that begin with `#` are comments; in an input `\n` stands for a line break, and `(empty)` for no text at all.

use std::fmt::Write as _;
use std::{env, fs, path::Path};

use plugc::ir::source::{At, Git, Source};
use plugc::rulebook::expression::{Comparison, Expression, Literal};
use plugc::rulebook::fault::SyntaxFault;
use plugc::rulebook::grammar::source::{shorthand, source};
use plugc::rulebook::grammar::{expression, matcher_names, selector, template_text, tool_list};
use plugc::rulebook::selector::Step;
use plugc::rulebook::template::{Part, Template};
use proptest::prelude::*;

#[test]
fn expressions() {
    check("expression", |text| expression(text).map(|tree| show(&tree)));
}

#[test]
fn selectors() {
    check("selector", |text| selector(text).map(|found| all(&found.0, show_step)));
}

#[test]
fn templates() {
    check("template", |text| template_text(text).map(|tree| show_template(&tree)));
}

#[test]
fn matchers() {
    check("matcher", |text| tool_list(text).map(|tools| all(&tools, show_tool)));
}

#[test]
fn sources() {
    check("source", |text| source(text).map(|found| show_source(&found)));
}

#[test]
fn shorthands() {
    let base = "https://example.com/";
    check("shorthand", |text| shorthand(text, base).map(|git| show_git(&git)));
}

#[test]
fn names_and_patterns() {
    let names = |text| matcher_names(text).map(|names| names.join("+"));
    assert_eq!(names("Edit").as_deref(), Some("Edit"));
    assert_eq!(names("Edit|Write").as_deref(), Some("Edit+Write"));
    assert_eq!(names(" Edit , mcp__a-b__c,").as_deref(), Some("Edit+mcp__a-b__c"));
    for pattern in ["Edit.*", "^Bash$", "mcp__.*", "Édit", "*", "Bash(git)"] {
        assert_eq!(names(pattern), None, "{pattern} is a pattern");
    }
    for nothing in ["", " ", "|", " , "] {
        assert_eq!(names(nothing), None, "{nothing:?} has no name");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let start = |word: &str| word.repeat(100_000);
    for word in ["(", "[", "not ", "not(", "f(", "f([", "a or ", "a and not ", "not\t", "[[],"] {
        assert!(expression(&start(word)).is_err(), "{word}");
        assert!(template_text(&format!("${{{}}}", start(word))).is_err(), "{word}");
        assert!(template_text(&start(word)).is_ok(), "{word} outside holes");
    }
    assert!(expression(&format!("a{}", start(" or a"))).is_err());
    assert!(tool_list(&format!("A{}{}", start("("), start(")"))).is_err());
    assert!(expression(&format!("a.{}a", start("a."))).is_ok(), "a long path does not nest");
}

#[test]
fn what_is_allowed_fits_on_a_small_stack() {
    let deepest = format!("{}a{}{}", "(".repeat(32), ")".repeat(32), " and not a".repeat(50));
    let tools = format!("A{}{}", "(".repeat(32), ")".repeat(32));
    let read = move || expression(&deepest).is_ok() && tool_list(&tools).is_ok();
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(read);
    assert!(thread.is_ok_and(|thread| thread.join().is_ok_and(|read| read)));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in "\\PC*|(?s:.*)") {
        read_as_all(&text);
    }

    #[test]
    fn nothing_made_of_our_words_panics(words in prop::collection::vec(word(), 0..30)) {
        read_as_all(&words.concat());
    }
}

/// Pieces of the languages, for texts that come close to being right.
fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "b-c",
        "é",
        " ",
        "\n",
        ".",
        ",",
        "|",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "[{",
        "}]",
        "$",
        "$$",
        "${",
        "'",
        "\\",
        "\"",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        " and ",
        " or ",
        " not ",
        " in ",
        " is ",
        "true",
        "false",
        "f(",
        "-1",
        "git:",
        "github.com/",
        "https://",
        "://",
        "@",
        "#",
        ":",
        "/tree/",
        "%2e",
        "99999999999999999999",
    ])
}

/// Reads a text in every language, and looks at the place of each fault.
fn read_as_all(text: &str) {
    let faults = [
        expression(text).err(),
        selector(text).err(),
        template_text(text).err(),
        tool_list(text).err(),
        shorthand(text, "https://example.com").err(),
    ];
    for fault in faults.into_iter().flatten() {
        let before: String = text.chars().take(fault.at).collect();
        let line = before.rsplit('\n').next().unwrap_or_default();
        assert_eq!(fault.column, line.chars().count() + 1, "{fault} in {text:?}");
        assert_eq!(fault.line, before.matches('\n').count() + 1, "{fault} in {text:?}");
        assert!(fault.at <= text.chars().count(), "{fault} in {text:?}");
    }
    let _names = matcher_names(text);
    let _source = source(text);
}

/// Compares a file with what its inputs give now; with `BLESS=1`, writes it.
fn check(name: &str, read: impl Fn(&str) -> Result<String, SyntaxFault>) {
    let ci = env::var_os("CI").is_some();
    let bless = env::var_os("BLESS").is_some();
    assert!(!(ci && bless), "BLESS is set where CI is: goldens are accepted by people");
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden/grammar")
        .join(name)
        .with_extension("txt");
    let old = fs::read_to_string(&path).unwrap_or_default();
    let new = answered(&old, read);
    assert!(!new.is_empty(), "{} is missing or empty", path.display());
    if old == new {
        return;
    }
    if bless {
        assert!(fs::write(&path, new).is_ok(), "{} cannot be written", path.display());
        return;
    }
    let diff = similar::TextDiff::from_lines(&old, &new);
    let diff = diff.unified_diff().header(name, "now").to_string();
    assert!(old == new, "{diff}\nto accept: BLESS=1 cargo test --test golden");
}

/// The file with each answer made anew.
fn answered(file: &str, read: impl Fn(&str) -> Result<String, SyntaxFault>) -> String {
    let mut new = String::new();
    for line in file.lines().filter(|line| !line.starts_with("=>")) {
        new += line;
        new.push('\n');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let input = if line == "(empty)" { String::new() } else { line.replace("\\n", "\n") };
        let answer = read(&input).unwrap_or_else(|fault| format!("error {fault}"));
        new += format!("=> {answer}").trim_end();
        new.push('\n');
    }
    new
}

/// Each, with a blank between.
fn all<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(" ")
}

/// An expression, each operation in parentheses.
fn show(tree: &Expression) -> String {
    match tree {
        Expression::Literal(literal) => show_literal(literal),
        Expression::List(items) => format!("(list {})", all(items, show)),
        Expression::Path(steps) => steps.join("/"),
        Expression::Call(name, given) => {
            format!("({}! {})", &**name, all(given, show)).replace(" )", ")")
        }
        Expression::Not(one) => format!("(not {})", show(one)),
        Expression::And(a, b) => format!("(and {} {})", show(a), show(b)),
        Expression::Or(a, b) => format!("(or {} {})", show(a), show(b)),
        Expression::Compare(how, a, b) => {
            format!("({} {} {})", show_comparison(*how), show(a), show(b))
        }
        Expression::In(a, b) => format!("(in {} {})", show(a), show(b)),
        Expression::Is(a, shape) => format!("(is {} {shape})", show(a)),
    }
}

fn show_comparison(how: Comparison) -> &'static str {
    match how {
        Comparison::Equal => "==",
        Comparison::Unequal => "!=",
        Comparison::Less => "<",
        Comparison::AtMost => "<=",
        Comparison::Greater => ">",
        Comparison::AtLeast => ">=",
    }
}

fn show_literal(literal: &Literal) -> String {
    match literal {
        Literal::Flag(flag) => flag.to_string(),
        Literal::Number(number) => number.to_string(),
        Literal::Text(text) => format!("{text:?}"),
        Literal::List(items) => format!("[{}]", all(items, show_literal)),
        Literal::Map(entries) => format!(
            "{{{}}}",
            all(entries, |(key, value)| format!("{key}: {}", show_literal(value)))
        ),
    }
}

fn show_step(step: &Step) -> String {
    match step {
        Step::Key(key) => format!("{key:?}"),
        Step::Each(name) => format!("{{{name}}}"),
        Step::Element(name) => format!("[{name}]"),
    }
}

fn show_template(template: &Template) -> String {
    match template {
        Template::Literal(literal) => show_literal(literal),
        Template::Hole(hole) => format!("(hole {})", show(hole)),
        Template::Text(parts) => format!("(text {})", all(parts, show_part)),
        Template::List(_) | Template::Map(_) => "no text".to_owned(),
    }
}

fn show_part(part: &Part) -> String {
    match part {
        Part::Text(text) => format!("{text:?}"),
        Part::Hole(hole) => format!("(hole {})", show(hole)),
    }
}

fn show_tool((name, specifier): &(String, Option<String>)) -> String {
    let mut shown = format!("{name:?}");
    if let Some(specifier) = specifier {
        let _always = write!(shown, "({specifier:?})");
    }
    shown
}

fn show_source(source: &Source) -> String {
    match source {
        Source::Local(path) => format!("(disk {path:?})"),
        Source::Git(git) => show_git(git),
    }
}

fn show_git(git: &Git) -> String {
    let at = match &git.at {
        At::Head => "head".to_owned(),
        At::Named(revision) => format!("(at {revision})"),
        At::Unparted(parts) => format!("(unparted {})", all(parts, |part| format!("{part:?}"))),
    };
    let path = if git.path.is_root() { String::new() } else { format!(" (below {})", git.path) };
    format!("(git {} {at}{path})", git.repository)
}
