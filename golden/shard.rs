//! Many processes give what one gives: a line for a line, and shares that add up to the whole.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn goldens() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/golden/compile"))
}

/// Runs the program over the goldens, with these bytes as its standard input.
fn fed(arguments: &[&str], lines: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plugc"))
        .args(["compile", "--to", "reasonix", "--format", "jsonl"])
        .args(arguments)
        .current_dir(goldens())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines).unwrap();
    child.wait_with_output().unwrap()
}

fn told(arguments: &[&str], lines: &[u8]) -> String {
    let output = fed(arguments, lines);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn plugins() -> Vec<String> {
    let mut all: Vec<String> = ["claude", "codex"]
        .into_iter()
        .flat_map(|host| std::fs::read_dir(goldens().join(host)).unwrap())
        .map(|entry| entry.unwrap().path().join("plugin"))
        .map(|path| path.strip_prefix(goldens()).unwrap().to_str().unwrap().to_owned())
        .collect();
    all.sort();
    all
}

#[test]
fn shares_of_a_list_one_after_another_are_the_whole() {
    let lines = plugins().join("\n");
    let whole = told(&["-"], lines.as_bytes());
    for count in [2, 3, 8] {
        let shares: String = (1..=count)
            .map(|number| told(&["--shard", &format!("{number}/{count}"), "-"], lines.as_bytes()))
            .collect();
        assert_eq!(shares, whole, "{count} shares");
    }
}

#[test]
fn shares_of_named_plugins_and_of_a_marketplace_are_the_whole() {
    let named = plugins();
    let named: Vec<&str> = named.iter().take(7).map(String::as_str).collect();
    let market = ["claude-marketplace/bad-entries-spoil-no-other/plugin"];
    for (sources, least) in [(named.as_slice(), 7), (market.as_slice(), 3)] {
        let answers = |shard: &str| {
            let told = told(&[&["--shard", shard], sources].concat(), b"");
            // What a marketplace's plugins add up to names the share that it adds up.
            if let Some(sum) = told.lines().find(|line| line.contains(r#""type":"summary""#)) {
                assert_eq!(sum.contains(&format!(r#""shard":"{shard}""#)), shard != "1/1", "{sum}");
            }
            let plugins = told.lines().filter(|line| line.contains(r#""verdict":"#));
            plugins.map(str::to_owned).collect::<Vec<String>>()
        };
        let whole = answers("1/1");
        assert!(whole.len() >= least, "{whole:?}");
        assert_eq!([answers("1/3"), answers("2/3"), answers("3/3")].concat(), whole);
    }
}

#[test]
fn every_line_gets_one_line_whatever_it_holds() {
    let long = "x/".repeat(20_000);
    let plugin = &plugins()[0];
    let lines: [&[u8]; 9] = [
        plugin.as_bytes(),
        b"\xff\xfe not text \x80",
        b"with\0nul",
        b"missing",
        &[plugin.as_bytes(), b"\r"].concat(),
        long.as_bytes(),
        b"--version",
        b"https://user:secret@example.com/a.git",
        plugin.as_bytes(),
    ];
    let told = told(&["--offline", "-"], &lines.join(&b'\n'));
    let answers: Vec<&str> = told.lines().collect();
    assert_eq!(answers.len(), lines.len(), "{told}");
    assert_eq!((answers[0], answers[0]), (answers[4], answers[8]));
    assert!(!told.contains("secret"));
}

#[test]
fn what_is_no_share_is_a_mistake_of_use() {
    for shard in ["0/3", "4/3", "x", "1/0"] {
        assert_eq!(fed(&["--shard", shard, "-"], b"").status.code(), Some(2), "{shard}");
    }
}
