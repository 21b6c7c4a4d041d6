//! Entries that are archives: downloaded by a curl of the test's own, which answers from a script and notes what it is asked.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::lab::{Lab, MANIFEST, files, text};
use super::program;

/// Debug builds on busy machines are slow; what hangs would take minutes.
const SOON: Duration = Duration::from_mins(1);

/// The files of a plugin, below a folder or at the root.
pub fn zipped(below: &str, name: &str) -> Vec<u8> {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let manifest = json!({ "name": name, "version": "1.0.0" }).to_string();
    let skill = "---\nname: greet\ndescription: Greets.\n---\nSay hello.\n".to_owned();
    for (file, text) in [(MANIFEST, manifest), ("skills/greet/SKILL.md", skill)] {
        zip.start_file(format!("{below}{file}"), SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Writes the list `m`, in which every entry is an archive.
pub fn list(lab: &Lab, sources: &[(&str, Option<&str>)]) {
    let plugin = |(number, (url, digest)): (usize, &(&str, Option<&str>))| {
        let name = if number == 0 { "one".to_owned() } else { format!("n{number}") };
        let mut source = json!({ "source": "archive", "url": url });
        if let Some(digest) = digest {
            source["sha256"] = json!(digest);
        }
        json!({ "name": name, "source": source })
    };
    let plugins: Vec<Value> = sources.iter().enumerate().map(plugin).collect();
    let file = lab.path("m/.claude-plugin/marketplace.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let list = json!({ "name": "m", "owner": { "name": "x" }, "plugins": plugins });
    fs::write(file, serde_json::to_string_pretty(&list).unwrap()).unwrap();
}

/// What is told of each entry.
pub fn told(lab: &Lab, arguments: &[&str]) -> Vec<Value> {
    let output =
        lab.plugc(&[&["compile", "m", "--fetch", "--format", "jsonl"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let all = String::from_utf8(output.stdout).unwrap();
    let lines = all.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["type"] == "plugin").collect()
}

pub fn is_full(one: &Value) -> bool {
    one["verdict"] == "full" && one["mapped"]["skills"] == 1
}

/// Holds that an entry gives nothing, and why; gives all that is said of it.
pub fn is_none(one: &Value, code: &str) -> String {
    assert_eq!(one["verdict"], "none", "{one}");
    assert_eq!(one["diagnostics"][0]["code"], code, "{one}");
    one["diagnostics"][0].to_string()
}

/// Makes a curl that answers by the cases of a shell's `case`, and is found before any other.
fn curl(lab: &mut Lab, cases: &str) {
    let script = format!(
        "echo asked >> {log}\nfor a; do printf '%s\\n' \"$a\" >> {log}; url=$a; done\n\
         cd {folder}\ncode=200 next= end=0\ncase $url in\n{cases}\n\
         *) echo 'curl: (22) The requested URL returned error: 404' >&2; code=404 end=22;;\nesac\n\
         printf '\\nplugc: %s %s\\n' \"$code\" \"$next\" >&2\nexit $end",
        log = lab.path("log").display(),
        folder = lab.path("").display(),
    );
    program(lab, "bin/curl", &script);
    let path = format!("{}:{}", lab.path("bin").display(), std::env::var("PATH").unwrap());
    lab.environment = vec![("PATH", path.into())];
}

/// Leaves the environment without any curl.
fn no_curl(lab: &mut Lab) {
    lab.environment = vec![("PATH", lab.path("nothing"))];
}

/// How often the curl of the test was asked, and for what.
fn asked(lab: &Lab) -> (usize, String) {
    let log = fs::read_to_string(lab.path("log")).unwrap_or_default();
    (log.lines().filter(|line| *line == "asked").count(), log)
}

fn kept(lab: &Lab, digest: &str) -> PathBuf {
    lab.path(&format!("cache/archives/{digest}.zip"))
}

const GOOD: &str = "https://plugins.example/good.zip";

/// A laboratory whose curl gives `good.zip`; and its digest.
fn good(below: &str) -> (Lab, String) {
    let mut lab = Lab::new();
    let bytes = zipped(below, "one");
    fs::write(lab.path("good.zip"), &bytes).unwrap();
    curl(&mut lab, "*/good.zip) cat good.zip;;");
    (lab, digest(&bytes))
}

#[test]
fn an_archive_that_is_pinned_needs_no_network_again() {
    let (mut lab, digest) = good("one-1.0/");
    list(&lab, &[(GOOD, Some(&digest))]);
    let output = lab.plugc(&["compile", "m"]);
    assert!(text(&output).contains("marketplace/not-fetched"), "{}", text(&output));
    is_none(&told(&lab, &["--offline"])[0], "source/offline");
    assert_eq!(asked(&lab).0, 0);
    let first = told(&lab, &["--no-cache"]);
    assert!(is_full(&first[0]), "{}", first[0]);
    let (count, log) = asked(&lab);
    assert_eq!(count, 1);
    for wanted in ["--proto\n=https\n", "--proto-redir\n=https\n", "--no-location\n", "--globoff\n"]
    {
        assert!(log.contains(wanted), "{log}");
    }
    assert!(log.ends_with(&format!("--\n{GOOD}\n")) && log.contains("\n268435456\n"), "{log}");
    assert_eq!(fs::read(kept(&lab, &digest)).unwrap(), fs::read(lab.path("good.zip")).unwrap());
    no_curl(&mut lab);
    assert_eq!(told(&lab, &["--no-cache"]), first);
    assert_eq!(told(&lab, &["--no-cache", "--offline"]), first);
    let output = lab.plugc(&["convert", "m", "--fetch", "--offline", "--out", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(lab.path("out/one/skills/greet/SKILL.md").is_file(), "{}", text(&output));
    // Once it was answered, not even the archive is needed.
    assert_eq!(told(&lab, &[]), first);
    fs::remove_dir_all(lab.path("cache/archives")).unwrap();
    assert_eq!(told(&lab, &["--offline"]), first);
    is_none(&told(&lab, &["--no-cache", "--offline"])[0], "source/offline");
}

#[test]
fn what_was_damaged_in_the_store_is_fetched_anew() {
    let (mut lab, digest) = good("");
    list(&lab, &[(GOOD, Some(&digest.to_uppercase()))]);
    assert!(is_full(&told(&lab, &["--no-cache"])[0]));
    let whole = fs::read(kept(&lab, &digest)).unwrap();
    let mut other = whole.clone();
    other[40] ^= 1;
    for bytes in [&whole[..50], &other, b""] {
        fs::write(kept(&lab, &digest), bytes).unwrap();
        is_none(&told(&lab, &["--no-cache", "--offline"])[0], "source/offline");
        assert!(is_full(&told(&lab, &["--no-cache"])[0]));
        assert_eq!(fs::read(kept(&lab, &digest)).unwrap(), whole);
    }
    assert_eq!(asked(&lab).0, 4);
    fs::write(kept(&lab, &digest), "half").unwrap();
    no_curl(&mut lab);
    is_none(&told(&lab, &["--no-cache"])[0], "source/no-curl");
    fs::remove_dir_all(lab.path("cache")).unwrap();
    fs::write(lab.path("cache"), "no folder").unwrap();
    is_none(&told(&lab, &["--no-cache"])[0], "source/store-unusable");
}

#[test]
fn an_archive_that_is_not_pinned_is_fetched_every_time() {
    let (lab, _) = good("");
    list(&lab, &[(GOOD, None)]);
    for number in 1..=2 {
        assert!(is_full(&told(&lab, &[])[0]));
        assert_eq!(asked(&lab).0, number);
    }
    fs::write(lab.path("good.zip"), zipped("two-1.0/", "two")).unwrap();
    assert_eq!(told(&lab, &[])[0]["name"], "two");
    is_none(&told(&lab, &["--offline"])[0], "source/offline");
    fs::write(lab.path("good.zip"), "<html>Not here</html>").unwrap();
    is_none(&told(&lab, &[])[0], "source/archive-broken");
    assert_eq!(files(&lab.path("cache/archives")).len(), 0);
}

#[test]
fn another_archive_than_the_one_that_was_pinned_is_not_used() {
    let (lab, digest) = good("");
    let other = "0".repeat(64);
    list(&lab, &[(GOOD, Some(&other)), (GOOD, Some(&digest)), ("https://a.example/x", None)]);
    let all = told(&lab, &[]);
    let told = is_none(&all[0], "source/digest-differs");
    assert!(told.contains(&other) && told.contains(&digest), "{told}");
    assert!(told.contains("/plugins/0/source/url"), "its place: {told}");
    assert!(is_full(&all[1]), "a bad entry spoils no other: {}", all[1]);
    let told = is_none(&all[2], "source/unreachable");
    assert!(told.contains("The requested URL returned error: 404"), "{told}");
    assert_eq!(files(&lab.path("cache/archives")), [kept(&lab, &digest)]);
}

#[test]
fn every_step_that_a_server_leads_on_to_is_looked_at() {
    let mut lab = Lab::new();
    fs::write(lab.path("good.zip"), zipped("", "one")).unwrap();
    let cases = "*/good.zip\\?signature=s3cret) cat good.zip;;\n\
        */signed) echo moved; code=302 next='https://files.example/good.zip?signature=s3cret';;\n\
        */gone) code=302 next='https://files.example/gone.zip?signature=s3cret';;\n\
        */http) code=301 next=http://plugins.example/good.zip;;\n\
        */here) code=307 next=https://127.0.0.1/good.zip;;\n\
        */odd) code=307 next=https://0x7f.1/good.zip;;\n\
        */user) code=302 next=https://me:s3cret@files.example/good.zip;;\n\
        */loop) code=302 next=https://plugins.example/loop;;\n\
        */5) code=308 next=https://plugins.example/4;;\n\
        */4) code=308 next=https://plugins.example/3;;\n\
        */3) code=303 next=https://plugins.example/2;;\n\
        */2) code=302 next=https://plugins.example/1;;\n\
        */1) code=302 next='https://files.example/good.zip?signature=s3cret';;\n\
        */nowhere) code=304;;\n\
        */nothing) printf '\\nplugc: ' >&2; exit 0;;";
    curl(&mut lab, cases);
    let steps =
        ["signed", "5", "http", "here", "odd", "user", "gone", "nowhere", "nothing", "loop"];
    let sources: Vec<String> =
        steps.iter().map(|step| format!("https://plugins.example/{step}")).collect();
    let entries: Vec<(&str, Option<&str>)> =
        sources.iter().map(|source| (source.as_str(), None)).collect();
    list(&lab, &entries);
    let all = told(&lab, &[]);
    assert!(is_full(&all[0]) && all[1]["mapped"]["skills"] == 1, "{}\n{}", all[0], all[1]);
    let codes = [
        "source/address-refused",
        "source/host-barred",
        "source/host-barred",
        "source/address-refused",
    ];
    for (one, code) in all[2..6].iter().zip(codes) {
        is_none(one, code);
    }
    assert!(is_none(&all[6], "source/unreachable").contains("error: 404"));
    assert!(is_none(&all[7], "source/unreachable").contains("answered 304"));
    assert!(is_none(&all[8], "source/unreachable").contains("answered nothing"));
    assert!(is_none(&all[9], "source/unreachable").contains("more than 5 times"));
    let (_, log) = asked(&lab);
    assert_eq!(log.matches("https://plugins.example/loop\n").count(), 6);
    assert!(!log.contains("127.0.0.1") && !log.contains("0x7f") && !log.contains("http://"));
    assert!(!all.iter().any(|one| one.to_string().contains("s3cret")));
}

#[test]
fn what_never_ends_is_cut_and_what_hangs_is_given_up() {
    let mut lab = Lab::new();
    let pid = |name: &str| lab.path(name).display().to_string();
    let (endless, hangs) = (pid("endless.pid"), pid("hangs.pid"));
    let cases = format!(
        "*/endless) echo $$ > {endless}; exec cat /dev/zero;;\n\
         */hangs) sleep 600 & echo $! > {hangs}; wait;;\n\
         */late) echo 'curl: (28) Operation timed out' >&2; exit 28;;\n\
         */long) echo 'curl: (63) Maximum file size exceeded' >&2; exit 63;;"
    );
    curl(&mut lab, &cases);
    let address = |name: &str| format!("https://plugins.example/{name}");
    for (name, code) in
        [("endless", "source/archive-too-large"), ("long", "source/archive-too-large")]
    {
        list(&lab, &[(&address(name), None)]);
        is_none(&told(&lab, &[])[0], code);
    }
    let started = Instant::now();
    for name in ["hangs", "late"] {
        list(&lab, &[(&address(name), Some(&"0".repeat(64)))]);
        let told = is_none(&told(&lab, &["--timeout", "1"])[0], "source/timeout");
        assert!(told.contains("1 seconds"), "{told}");
    }
    assert!(started.elapsed() < SOON);
    for file in [endless, hangs] {
        let id = fs::read_to_string(&file).unwrap();
        let mut ask = std::process::Command::new("kill");
        let gone = || !ask.args(["-0", id.trim()]).output().unwrap().status.success();
        assert!(std::iter::repeat_with(gone).take(50).any(|gone| {
            std::thread::sleep(Duration::from_millis(20));
            gone
        }));
    }
}

#[test]
fn addresses_that_must_not_be_asked_are_not() {
    let (lab, _) = good("");
    let sources = [
        ("http://plugins.example/good.zip", "source/address-refused"),
        ("file:///etc/good.zip", "source/address-refused"),
        ("--output=/good.zip", "marketplace/source-no-address"),
        ("https://me:hunter2@plugins.example/good.zip", "source/address-refused"),
        ("https://plugins.example/good.zip?token=hunter2", "source/address-refused"),
        ("https://localhost/good.zip", "source/host-barred"),
        ("https://169.254.169.254/good.zip", "source/host-barred"),
        ("https://2130706433/good.zip", "source/host-barred"),
        ("https://[::ffff:10.0.0.1]/good.zip", "source/host-barred"),
        ("https://metadata.google.internal/good.zip", "source/host-barred"),
    ];
    // A digest makes no address better.
    let digest = digest(&zipped("", "one"));
    for pin in [None, Some(digest.as_str())] {
        let entries: Vec<_> = sources.iter().map(|(url, _)| (*url, pin)).collect();
        list(&lab, &entries);
        for (one, (_, code)) in told(&lab, &[]).iter().zip(sources) {
            let told = is_none(one, code);
            assert!(!told.contains("hunter2"), "{told}");
        }
        let output = lab.plugc(&["compile", "m", "--fetch"]);
        assert!(!text(&output).contains("hunter2"), "{}", text(&output));
    }
    assert_eq!(asked(&lab).0, 0);
}

#[test]
fn headers_are_not_sent_and_no_command_is_run() {
    let (lab, _) = good("");
    let mark = lab.path("mark");
    list(&lab, &[(GOOD, None)]);
    let file = lab.path("m/.claude-plugin/marketplace.json");
    let mut market: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    market["plugins"][0]["headers"] = json!({ "Authorization": "Bearer hunter2" });
    market["plugins"][0]["headersHelper"] = json!(format!("touch {}", mark.display()));
    fs::write(&file, market.to_string()).unwrap();
    let all = told(&lab, &[]);
    assert!(is_full(&all[0]), "{}", all[0]);
    assert_eq!(all[0].to_string().matches("marketplace/headers-unused").count(), 2, "{}", all[0]);
    assert!(!mark.exists());
    assert!(!asked(&lab).1.contains("hunter2"));
}
