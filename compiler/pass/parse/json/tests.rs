//! What JSON files become.
#![expect(clippy::disallowed_methods, reason = "it times hostile input")]

use std::time::Instant;

use proptest::prelude::*;

use super::*;

/// How long hostile input may take, in seconds; a debug build beside other tests is slower than what people run.
const LONGEST: u64 = if cfg!(debug_assertions) { 15 } else { 1 };

fn read(text: &str) -> (Document, Vec<Diagnostic>) {
    let mut diagnostics = Diagnostics::default();
    let document = json(&RelPath::parse("a.json").unwrap(), text, MOST_VALUES, &mut diagnostics);
    (document, diagnostics.into_vec())
}

pub(in crate::pass::parse) fn told(diagnostics: &[Diagnostic]) -> Vec<String> {
    let words = |d: &Diagnostic| {
        d.words.iter().map(|(name, word)| format!(" {name}={word}")).collect::<Vec<_>>().concat()
    };
    diagnostics.iter().map(|d| format!("{} {}{}", d.code, d.origin, words(d))).collect()
}

/// The tree in a spelling of our own, to compare at a glance.
pub(in crate::pass::parse) fn spelled(document: &Document, id: NodeId) -> String {
    let children = |open: &str, close: &str| {
        let each = document.children(id).map(|child| match document.key(child) {
            Key::Name(name) => format!("{name}: {}", spelled(document, child)),
            _ => spelled(document, child),
        });
        format!("{open}{}{close}", each.collect::<Vec<_>>().join(", "))
    };
    let shadow = if document.is_shadowed(id) { "!" } else { "" };
    shadow.to_owned()
        + &match document.kind(id) {
            Kind::Null => "null".to_owned(),
            Kind::Flag(flag) => flag.to_string(),
            Kind::Number(number) => number.to_string(),
            Kind::Text(text) => format!("{text:?}"),
            Kind::List => children("[", "]"),
            Kind::Map => children("{", "}"),
        }
}

fn tree(text: &str) -> String {
    let (document, diagnostics) = read(text);
    assert_eq!(told(&diagnostics), [""; 0], "{text}");
    spelled(&document, Document::ROOT)
}

#[test]
fn keeps_order_and_kinds() {
    let text = r#"{"b": [1, -2, 2.50, 1e1, true, null, {}], "a": {"x": "\u00fc"}}"#;
    assert_eq!(tree(text), r#"{b: [1, -2, 2.5, 10.0, true, null, {}], a: {x: "ü"}}"#);
    assert_eq!(tree(" \"text\"\r\n"), "\"text\"");
    assert_eq!(tree("[]"), "[]");
    assert_eq!(tree("18446744073709551615"), "18446744073709551615");
}

#[test]
fn keeps_duplicates_and_tells_each_key_once() {
    let (document, diagnostics) =
        read(r#"{"a": {"x": 1, "x": 2}, "b": 0, "a": 1, "a": {"y": 1, "y": 2}}"#);
    assert_eq!(spelled(&document, 0), "{a: !{x: !1, x: 2}, b: 0, a: !1, a: {y: !1, y: 2}}");
    let all = [
        "json/duplicate-key a.json#/a key=a",
        "json/duplicate-key a.json key=x",
        "json/duplicate-key a.json#/a/y key=y",
    ];
    assert_eq!(told(&diagnostics), all);
    let last = document.get(0, "a").unwrap();
    assert_eq!(spelled(&document, last), "{y: !1, y: 2}");
}

#[test]
fn masks_what_its_author_plainly_meant() {
    let text = "// ü\n{\"a\": \"// no\", /* yes */ \"b\": [1, 2,\n], }\n";
    let (document, diagnostics) = read(text);
    assert_eq!(spelled(&document, 0), "{a: \"// no\", b: [1, 2]}");
    assert_eq!(told(&diagnostics), ["json/comments a.json", "json/trailing-comma a.json"]);
    assert!(diagnostics.iter().all(|d| d.fate == Fate::Adapted));
    assert_eq!(&*document.text, "     \n{\"a\": \"// no\",           \"b\": [1, 2 \n]  }\n");
}

#[test]
fn replaces_lone_surrogates() {
    let (document, diagnostics) =
        read(r#"["\ud800", "\uDC00x", "\ud83d\ude00", "\\ud800", "\ud800\ud83d\ude00"]"#);
    assert_eq!(
        spelled(&document, 0),
        "[\"\u{fffd}\", \"\u{fffd}x\", \"😀\", \"\\\\ud800\", \"\u{fffd}😀\"]"
    );
    assert_eq!(told(&diagnostics), ["json/lone-surrogate a.json"]);
}

#[test]
fn says_what_is_wrong_and_where() {
    for (text, detail) in [
        ("{\"ü\": }", "detail=a value is missing line=1 column=7"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "detail=a `,` or `}` is missing line=3 column=3"),
        ("[1", "detail=a list is not closed line=1 column=2"),
        ("{} {}", "detail=something follows the first value line=1 column=4"),
        ("[,]", "detail=a value is missing line=1 column=2"),
        ("// c\n[1,,]", "detail=a value is missing line=2 column=4"),
        ("/* [1]", "detail=a value is missing line=1 column=1"),
        ("{a: 1}", "detail=a key is not a text in double quotes line=1 column=2"),
        ("\"\t\"", "detail=a text holds an unescaped control character line=1 column=2"),
        ("1e999", "detail=a number is too large line=1 column=5"),
    ] {
        let (document, diagnostics) = read(text);
        assert_eq!(told(&diagnostics), [format!("json/malformed a.json {detail}")], "{text}");
        assert_eq!(diagnostics[0].fate, Fate::Unsupported);
        assert_eq!((document.readable, document.is_empty(), &*document.text), (false, true, text));
    }
}

#[test]
fn an_empty_file_is_its_own_mistake() {
    for text in ["", " \r\n", "// nothing\n"] {
        let (document, diagnostics) = read(text);
        assert_eq!(told(&diagnostics), ["json/empty a.json"]);
        assert!(!document.readable);
    }
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(told(&read(&nested(127)).1), [""; 0]);
    assert_eq!(told(&read(&nested(128)).1), ["json/too-deep a.json limit=128"]);
    let start = Instant::now();
    let deep = [
        nested(100_000),
        "{\"a\":".repeat(100_000),
        format!("//\n{}", nested(100_000)),
        "[".repeat(8_000_000),
    ];
    for text in deep {
        assert_eq!(told(&read(&text).1), ["json/too-deep a.json limit=128"]);
    }
    assert!(start.elapsed().as_secs() < LONGEST);
}

#[test]
fn counts_its_values() {
    let list = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
    assert_eq!(read(&list(99_999)).0.len(), 100_000);
    let (document, diagnostics) = read(&list(100_000));
    assert_eq!(told(&diagnostics), ["document/too-many-values a.json limit=100000"]);
    assert!(!document.readable && document.is_empty());
}

#[test]
fn many_keys_take_no_time() {
    let start = Instant::now();
    let keys: Vec<String> = (0..99_000).map(|key| format!("\"{}\":0,", key % 50_000)).collect();
    let (document, diagnostics) = read(&format!("{{{}\"last\":0}}", keys.concat()));
    assert_eq!((document.len(), diagnostics.len()), (99_002, 49_000));
    assert!(start.elapsed().as_secs() < 2);
}

/// Every leaf is found again by its origin, or lies in a duplicate.
pub(in crate::pass::parse) fn walks_back(document: &Document) -> bool {
    let leads_back = |leaf: NodeId| {
        let origin = document.origin(leaf);
        let mut at = Some(Document::ROOT);
        for step in crate::ir::origin::steps(&origin.pointer) {
            at = at.and_then(|at| match document.kind(at) {
                Kind::Map => document.get(at, &step),
                _ => document.children(at).nth(step.parse().ok()?),
            });
        }
        let mut above = std::iter::successors(Some(leaf), |&id| document.parent(id));
        at == Some(leaf) || (at.is_some() && above.any(|id| document.is_shadowed(id)))
    };
    document.leaves(Document::ROOT).into_iter().all(leads_back)
}

fn values() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        "-?[1-9][0-9]{0,3}",
        "\"[a-c/~]{0,3}\"",
        Just("{}".to_owned())
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(("[a-b/~]{0,2}", inner), 0..4).prop_map(|entries| {
                let entries: Vec<_> =
                    entries.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", entries.join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,60}") {
        read(&text);
    }

    #[test]
    fn nothing_like_json_makes_it_panic(text in "[\\[\\]{},:\"\\\\/*ud8d0 \nü1e-]{0,40}") {
        let (document, diagnostics) = read(&text);
        prop_assert_eq!(document.text.len(), text.len());
        prop_assert!(document.readable || diagnostics.len() == 1);
        prop_assert!(walks_back(&document));
    }

    #[test]
    fn every_leaf_is_found_again(text in values()) {
        let (document, _) = read(&text);
        prop_assert!(document.readable);
        prop_assert!(walks_back(&document));
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), true);
    }

    #[test]
    fn comments_change_nothing_but_themselves(text in values(), comment in "[a-z,\"]{0,6}") {
        let with = text.replace(',', &format!(" /*{comment}*/,")) + "// " + &comment;
        let (plain, masked) = (read(&text).0, read(&with).0);
        prop_assert!(masked.readable);
        prop_assert_eq!(spelled(&plain, 0), spelled(&masked, 0));
    }
}
