//! What Markdown files become.
#![expect(clippy::disallowed_methods, reason = "it times hostile input")]

use std::fmt::Write as _;
use std::time::Instant;

use proptest::prelude::*;

use super::super::json::tests::{spelled, told, walks_back};
use super::*;

/// How long hostile input may take, in seconds; a debug build beside other tests is slower than what people run.
const LONGEST: u64 = if cfg!(debug_assertions) { 15 } else { 1 };

fn read(text: &str) -> (Document, Vec<Diagnostic>) {
    let mut diagnostics = Diagnostics::default();
    let document = markdown(&RelPath::parse("a.md").unwrap(), text, &mut diagnostics);
    (document, diagnostics.into_vec())
}

fn valid(yaml: &str) -> String {
    let (document, diagnostics) = read(&format!("---\n{yaml}\n---\nbody"));
    assert_eq!(told(&diagnostics), [""; 0], "{yaml}");
    assert_eq!((document.front, document.body_text()), (Front::Valid, Some("body")), "{yaml}");
    spelled(&document, Document::ROOT)
}

fn recovered(yaml: &str) -> (String, String) {
    let (document, diagnostics) = read(&format!("---\n{yaml}\n---\nbody"));
    assert_eq!((document.front, document.body_text()), (Front::Recovered, Some("body")), "{yaml}");
    assert_eq!(
        (diagnostics[0].code.as_str(), diagnostics[0].fate),
        ("front/recovered", Fate::Adapted)
    );
    (spelled(&document, Document::ROOT), told(&diagnostics[..1]).remove(0))
}

#[test]
fn keeps_spellings() {
    assert_eq!(
        valid("a: 1.10\nb: 007\nc: true\nd: 'x'\ne: \"null\""),
        r#"{a: "1.10", b: "007", c: "true", d: "x", e: "null"}"#
    );
    assert_eq!(valid("a:\nb: ~\nc: null\nd: ''"), r#"{a: null, b: null, c: null, d: ""}"#);
    assert_eq!(valid("a: !!str null\nb: !!str"), r#"{a: "null", b: ""}"#);
}

#[test]
fn reads_lists_maps_and_blocks() {
    assert_eq!(
        valid("a: [x, {y: z}]\nb:\n  - 1\n  - c: 2\n"),
        r#"{a: ["x", {y: "z"}], b: ["1", {c: "2"}]}"#
    );
    assert_eq!(valid("a: |\n  x\n  y\nb: >-\n  x\n  y"), r#"{a: "x\ny\n", b: "x y"}"#);
    assert_eq!(valid("a: {}\nb: []\n# comment"), "{a: {}, b: []}");
    assert_eq!((valid(""), valid("# only a comment")), ("{}".to_owned(), "{}".to_owned()));
}

#[test]
fn follows_aliases() {
    assert_eq!(
        valid("a: &x [1, {b: 2}]\nc: *x\nd: &y z\ne: *y\n*y : 0"),
        r#"{a: ["1", {b: "2"}], c: ["1", {b: "2"}], d: "z", e: "z", z: "0"}"#
    );
    assert_eq!(valid("a: &x {b: 1}\nc:\n  <<: *x"), r#"{a: {b: "1"}, c: {<<: {b: "1"}}}"#);
}

#[test]
fn the_last_of_a_key_counts() {
    let (document, diagnostics) = read("---\na: 1\nb: {c: 1, c: 2}\na: 2\n---\n");
    assert_eq!(spelled(&document, 0), r#"{a: !"1", b: {c: !"1", c: "2"}, a: "2"}"#);
    assert_eq!(
        told(&diagnostics),
        ["front/duplicate-key a.md#/a key=a", "front/duplicate-key a.md#/b/c key=c"]
    );
}

#[test]
fn finds_its_fences() {
    for text in [
        "",
        "text",
        "# a\n---\nb: c\n---\n",
        "---x\na: b\n---\n",
        "\n\n---\nno end",
        "\r---\ra: b\r---\r",
        "----\n----\n",
    ] {
        let (document, diagnostics) = read(text);
        assert_eq!(
            (document.front, document.body, document.is_empty()),
            (Front::Absent, Some(0), true),
            "{text}"
        );
        assert_eq!(told(&diagnostics), [""; 0], "{text}");
    }
    let (document, diagnostics) = read("---\nname: x\n");
    assert_eq!((document.front, document.body), (Front::Absent, Some(0)));
    assert_eq!(told(&diagnostics), ["front/unterminated a.md"]);
    let (document, _) = read(" --- \r\na: b\r\n ---\r\nbody\r\n");
    assert_eq!(
        (spelled(&document, 0).as_str(), document.body_text()),
        (r#"{a: "b"}"#, Some("body\r\n"))
    );
    let (document, _) = read("---\n---");
    assert_eq!(
        (document.front, document.body_text(), document.is_empty()),
        (Front::Valid, Some(""), true)
    );
}

#[test]
fn reads_late_front_matter_but_no_rulers() {
    let (document, diagnostics) = read("\n \n---\nname: x\n---\nbody");
    assert_eq!(
        (document.front, spelled(&document, 0).as_str()),
        (Front::Recovered, r#"{name: "x"}"#)
    );
    assert_eq!(
        (told(&diagnostics), diagnostics[0].fate),
        (vec!["front/late a.md".to_owned()], Fate::Adapted)
    );
    let (document, diagnostics) = read("\n---\nOnce upon a time: a tale.\n---\nbody");
    assert_eq!((document.front, told(&diagnostics)), (Front::Absent, Vec::new()));
}

#[test]
fn recovers_key_by_key() {
    let (tree, told) = recovered(
        "name: x\ndescription: Use it when: now\ntools:\n  - A\n  - B(c:*)\nmodel: \"o\\\"p\" # c",
    );
    assert_eq!(
        tree,
        r#"{name: "x", description: "Use it when: now", tools: ["A", "B(c:*)"], model: "o\"p"}"#
    );
    let words =
        "keys=name, description, tools, model detail=a `: ` stands inside a plain value line=3";
    assert_eq!(told, format!("front/recovered a.md {words}"));
    for (yaml, tree) in [
        ("argument-hint: [a] | --b", r#"{argument-hint: "[a] | --b"}"#),
        ("a: [x, y]\nb: @c", r#"{a: "[x, y]", b: "@c"}"#),
        ("a: {{name}}\nb: 1", r#"{a: "{{name}}", b: "1"}"#),
        ("tools: *", r#"{tools: "*"}"#),
        ("a: \"x: y\": z\nb: 'c' d'", r#"{a: "\"x: y\": z", b: "c' d"}"#),
        ("a: b: c\n  more\n\n  new\n# comment\nkept too", r#"{a: "b: c more\nnew kept too"}"#),
        ("a: |\n  x\n\ty\n\n z\nb: c: d", r#"{a: "x\ny\n\nz", b: "c: d"}"#),
        ("a:\n- `x`\n- \"y\"\n-", r#"{a: ["`x`", "y", ""]}"#),
        ("'a': %\n\tb: 1\nc:", r#"{a: "% b: 1", c: null}"#),
        ("d: 1\nd: @\ne: \"open", r#"{d: !"1", d: "@", e: "\"open"}"#),
        ("a: 1\n...\nb: 2", r#"{a: "1", b: "2"}"#),
    ] {
        assert_eq!(recovered(yaml).0, tree, "{yaml}");
    }
}

#[test]
fn says_when_nothing_can_be_saved() {
    for (yaml, words) in [
        ("- a\n- b", "detail=it is a list, not a map line=2"),
        ("just text", "detail=it is no map line=2"),
        ("{{name}}", "detail=a key is a list or a map line=2"),
        ("\n@x", "detail=a value begins with a reserved character line=3"),
    ] {
        let (document, diagnostics) = read(&format!("---\n{yaml}\n---\nbody"));
        assert_eq!(told(&diagnostics), [format!("front/broken a.md {words}")]);
        assert_eq!(
            (document.front, document.readable, diagnostics[0].fate),
            (Front::Broken, true, Fate::Unsupported)
        );
        assert_eq!((document.is_empty(), document.body_text()), (true, Some("body")));
    }
    let (document, diagnostics) = read("---\na: &x [*x]\n---\n");
    assert_eq!(
        (document.front, spelled(&document, 0).as_str()),
        (Front::Recovered, r#"{a: "&x [*x]"}"#)
    );
    assert_eq!(diagnostics[0].words[1].1, "an alias lies in what it stands for");
}

fn limit(yaml: &str) -> String {
    let start = Instant::now();
    let (document, diagnostics) = read(&format!("---\n{yaml}\n---\nbody"));
    assert!(start.elapsed().as_secs() < LONGEST, "{:?}", start.elapsed());
    assert_eq!(
        (document.front, document.len(), document.body_text()),
        (Front::Broken, 1, Some("body"))
    );
    told(&diagnostics).join("\n")
}

#[test]
fn aliases_do_not_explode() {
    let mut laughs = "a0: &a0 [lol, lol]\n".to_owned();
    for level in 1..64 {
        writeln!(laughs, "a{level}: &a{level} [*a{0}, *a{0}]", level - 1).unwrap();
    }
    assert_eq!(limit(&laughs), "document/too-many-values a.md limit=100000");
    let long = format!("a: &a {}\nb: [{}0]", "x".repeat(1_000_000), "*a , ".repeat(50_000));
    assert_eq!(limit(&long), "document/too-many-values a.md limit=100000");
    let mut deep = "a0: &a0 [0]\n".to_owned();
    for level in 1..200 {
        writeln!(deep, "a{level}: &a{level} [*a{}]", level - 1).unwrap();
    }
    assert_eq!(limit(&deep), "front/too-deep a.md limit=128");
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let too_deep = "front/too-deep a.md limit=128";
    assert_eq!(valid(&format!("a: {}{}", "[".repeat(126), "]".repeat(126))).len(), 252 + 5);
    assert_eq!(limit(&format!("a: {}{}", "[".repeat(127), "]".repeat(127))), too_deep);
    for open in ["[", "[\n   ", "- "] {
        assert_eq!(limit(&format!("a:\n  {}", open.repeat(100_000))), too_deep, "{open:?}");
    }
    // Of these YAML may dislike something else first.
    for open in ["{a: ", "{", "? ", "- a: ", "&a ", "!", "[*a,", "a: "] {
        let start = Instant::now();
        read(&format!("---\na:\n  {}\n---\n", open.repeat(100_000)));
        assert!(start.elapsed().as_secs() < LONGEST, "{open:?} {:?}", start.elapsed());
    }
    let blocks: Vec<String> = (0..2_000).map(|depth| format!("{}a:", " ".repeat(depth))).collect();
    assert_eq!(limit(&blocks.join("\n")), too_deep);
}

#[test]
fn counts_its_values() {
    let keys: Vec<String> = (0..100_000).map(|key| format!("k{key}: v")).collect();
    let keys = keys.join("\n");
    assert_eq!(limit(&keys), "document/too-many-values a.md limit=100000");
    assert_eq!(limit(&format!("{keys}\nx: @")), "document/too-many-values a.md limit=100000");
    assert_eq!(
        limit(&format!("x: @\n{}", "k: @\n".repeat(100_000))),
        "document/too-many-values a.md limit=100000"
    );
}

#[test]
fn a_checked_in_link_is_a_path_and_nothing_else() {
    for path in
        ["../a/b.md", "SKILL.md", "./My Skills/x.md", ".claude/a-b_c.md\n", "commands/ä.md\r\n"]
    {
        assert_eq!(link_text(path), Some(path.trim()));
    }
    let long = format!("{}.md", "a".repeat(600));
    for text in [
        "",
        ".md/",
        "@AGENTS.md",
        "See README.md",
        "a.md\nb.md",
        "/etc/a.md",
        "C:/a.md",
        "https://x/a.md",
        "# a.md",
        "[a](b.md",
        &long,
    ] {
        assert_eq!(link_text(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,60}") {
        read(&text);
        read(&format!("---\n{text}\n---\n"));
        link_text(&text);
    }

    #[test]
    fn nothing_like_yaml_makes_it_panic(yaml in "([ab]{1,2}|: |:|- |[\\[\\]{},&*!|>'\"%@`#?<~]|\n|\n  |\t|\r\n|\r|\\.\\.\\.|---|ü|\u{feff}|\u{85}|\0){0,30}") {
        let text = format!("---\n{yaml}\n---\nbody");
        let (document, diagnostics) = read(&text);
        prop_assert!(document.body.is_some_and(|at| text.is_char_boundary(at)));
        prop_assert!(walks_back(&document));
        prop_assert!(document.front == Front::Valid || !diagnostics.is_empty());
    }

    #[test]
    fn plain_keys_are_all_found(entries in prop::collection::vec(("[a-c/~]{1,2}", "[a-z0-9]{1,5}"), 1..8)) {
        let lines: Vec<String> = entries.iter().map(|(key, value)| format!("\"{key}\": x{value}")).collect();
        let (document, _) = read(&format!("---\n{}\n---\n", lines.join("\n")));
        prop_assert_eq!(document.front, Front::Valid);
        prop_assert_eq!(document.len(), entries.len() + 1);
        prop_assert!(walks_back(&document));
    }
}
