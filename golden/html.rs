//! The page: what stands in it, and what a browser makes of it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use regex::Regex;
use tempfile::TempDir;

mod market;

/// Text that would run, load or break out, wherever a page takes text as markup.
const HOSTILE: &str =
    "<script>window.harmed=1</script><img src=x onerror=window.harmed=1>\"'& a\u{202e}b";

/// Folders with plugins whose every text is hostile, and one that is not; and how the page of them is asked for.
fn plugins() -> TempDir {
    let away = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| {
        let path = away.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let word = serde_json::Value::from(HOSTILE).to_string();
    write(
        "a & 'b'/.claude-plugin/plugin.json",
        &format!("{{ \"name\": {word}, \"version\": {word}, \"</script><b>\": {word} }}"),
    );
    write(
        "a & 'b'/hooks/hooks.json",
        &format!("{{ \"hooks\": {{ {word}: [{{ \"hooks\": [{{ \"type\": {word} }}] }}] }} }}"),
    );
    write(
        "a & 'b'/agents/one.md",
        &format!(
            "---\nname: one\ndescription: x\ntools: Read, 'Bash({})'\n---\nx\n",
            HOSTILE.replace('\'', "")
        ),
    );
    write("calm/.claude-plugin/plugin.json", "{ \"name\": \"calm\", \"version\": \"1.0.0\" }");
    for name in ["rest", "sleep", "wait"] {
        write(
            &format!("calm/skills/{name}/SKILL.md"),
            &format!("---\nname: {name}\ndescription: Rests\n---\nRest.\n"),
        );
    }
    away
}

fn page(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_plugc"))
        .args(["compile", "--format", "html"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The three plugins of the tests below; the last does not exist as a plugin at all.
fn three(folder: &Path) -> String {
    fs::create_dir_all(folder.join("empty")).unwrap();
    page(folder, &["a & 'b'", "calm", "empty"])
}

#[test]
fn every_plugin_has_a_row_and_a_section() {
    let away = plugins();
    let page = three(away.path());
    for number in 1..=3 {
        assert_eq!(page.matches(&format!("href=\"#plugin-{number}\"")).count(), 1, "{page}");
        assert_eq!(page.matches(&format!("id=\"plugin-{number}\"")).count(), 1, "{page}");
    }
    assert!(!page.contains("plugin-4"));
    assert!(page.contains("<bdi>calm</bdi>") && page.contains("3 skills"), "{page}");
    assert!(page.contains("<strong>3</strong> plugins"), "{page}");
    assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">") && page.ends_with("</html>\n"));
    for wanted in
        ["name=\"viewport\"", "<label for=\"search\">", "aria-sort=\"none\"", "<mark>", "help: "]
    {
        assert!(page.contains(wanted), "the page lacks {wanted}\n{page}");
    }
}

#[test]
fn a_place_is_shown_with_its_line_and_its_mark() {
    let plugin =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/compile/claude/stop-hook-blocks/plugin");
    let page = page(&plugin, &[]);
    let place = Regex::new(r"<bdi>hooks/hooks\.json</bdi>:(\d+):\d+</code>").unwrap();
    let line: usize = place.captures(&page).unwrap()[1].parse().unwrap();
    let text = fs::read_to_string(plugin.join("hooks/hooks.json")).unwrap();
    let event = text.lines().nth(line - 1).unwrap().split('"').nth(1).unwrap();
    let marked = page.split(&format!(">{line:>5} </span>")).nth(1).unwrap();
    let marked = marked.lines().next().unwrap();
    assert!(marked.contains("<mark>") && marked.contains(event), "{marked}\n{event}");
    assert!(page.contains("hook/stop-cannot-block"));
}

#[test]
fn plugin_text_is_text() {
    let away = plugins();
    let page = three(away.path());
    // One script, ours, and it is the last thing in the page.
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains("<img") && !page.contains("<b>") && !page.contains('\u{202e}'));
    let shown = "&lt;script&gt;window.harmed=1&lt;/script&gt;&lt;img src=x onerror=window.harmed=1&gt;&quot;&#39;&amp; a\u{fffd}b";
    assert!(page.matches(shown).count() > 4, "in names, messages and snippets\n{page}");
    assert!(page.contains("a &amp; &#39;b&#39;"), "in paths\n{page}");
}

/// The names of all folders with a plugin, as lines for standard input.
fn cases() -> String {
    let mut all: Vec<String> = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/compile");
    for source in fs::read_dir(root).unwrap().flatten() {
        for case in fs::read_dir(source.path()).unwrap().flatten() {
            let plugin = case.path().join("plugin");
            all.extend(plugin.is_dir().then(|| plugin.to_str().unwrap().to_owned()));
        }
    }
    all.sort();
    all.join("\n")
}

#[test]
fn every_element_ends_where_it_began() {
    let away = tempfile::tempdir().unwrap();
    fs::write(away.path().join("list"), cases()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_plugc"))
        .args(["compile", "--format", "html", "-"])
        .stdin(File::open(away.path().join("list")).unwrap())
        .output()
        .unwrap();
    elements_end(&String::from_utf8(output.stdout).unwrap());
}

/// Asserts that the elements of a page are well nested, and that nothing else looks like one.
fn elements_end(page: &str) {
    let markup = page.split("<script>").next().unwrap();
    let tags = Regex::new(r"<(/?)([a-z][a-z0-9]*)[^<>]*?(/?)>").unwrap();
    let mut open: Vec<&str> = Vec::new();
    for tag in tags.captures_iter(markup) {
        let (whole, name) = (tag.get(0).unwrap(), tag.get(2).unwrap().as_str());
        if &tag[1] == "/" {
            assert_eq!(open.pop(), Some(name), "at byte {}: {}", whole.start(), whole.as_str());
        } else if &tag[3] != "/" && !["meta", "input"].contains(&name) {
            open.push(name);
        }
    }
    assert_eq!(open, ["html", "body"]);
    // What is left of the tags is text, in which nothing is markup.
    let style = Regex::new("(?s)<style>.*</style>").unwrap();
    let text = tags.replace_all(&style.replace(markup, ""), "").replacen("<!DOCTYPE html>", "", 1);
    assert!(!text.contains(['<', '>']) && !text.contains('"') && !text.contains('\''));
}

#[test]
fn a_page_needs_nothing_else() {
    let page = page(Path::new(env!("CARGO_MANIFEST_DIR")), &["--example"]);
    let elements = Regex::new(r#"(?i)<(link|base|iframe|object|embed|img|form)\b|\s(src|srcset|action|on\w+|style)\s*=\s*["']|@import|url\("#).unwrap();
    assert!(elements.find(&page).is_none(), "{:?}", elements.find(&page));
    let links = Regex::new(r#"href="([^"]*)""#).unwrap();
    assert!(links.captures_iter(&page).all(|link| link[1].starts_with("#plugin-")));
    let policy = Regex::new(
        r#"content="default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+';"#,
    )
    .unwrap();
    assert!(policy.is_match(&page));
    assert!(!page.contains("unsafe-"));
}

#[test]
fn a_page_is_the_same_every_time_and_in_a_file() {
    let away = plugins();
    let first = three(away.path());
    assert!(first == three(away.path()));
    let away = away.path();
    assert!(page(away, &["a & 'b'", "calm", "empty", "--output", "page.html"]).is_empty());
    assert!(first == fs::read_to_string(away.join("page.html")).unwrap());
    assert!(page(away, &["-q", "calm"]).len() < page(away, &["calm"]).len());
}

/// Clicks and types as a person would, and writes what came of it into the page.
const HARNESS: &str = concat!(include_str!("html/hands.js"), include_str!("html/harness.js"));

/// A page as it is but for its policy, which lets the harness in as well.
fn held(page: &str) -> String {
    page.replacen("script-src ", "script-src 'nonce-harness' ", 1)
}

/// A page without a policy, so that escaping stands by itself.
fn bare(page: &str) -> String {
    let policy = Regex::new("<meta http-equiv=\"Content-Security-Policy\"[^>]*>").unwrap();
    assert!(policy.is_match(page));
    policy.replace(page, "").into_owned()
}

#[test]
fn a_browser_sorts_searches_opens_and_is_not_harmed() {
    let Some(browser) = browser() else {
        // Past the test runner, which shows the words of a failure only.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"\nleft out: the page in a browser. To run it, install Chromium or set PLUGC_BROWSER to one:\n  \
              PLUGC_BROWSER=/path/to/chromium cargo test --test golden html\n",
        );
        return;
    };
    let away = plugins();
    let page = three(away.path());
    for copy in [held(&page), bare(&page)] {
        let (told, complaints) = open(&browser, away.path(), &copy, HARNESS);
        assert_eq!(complaints, "", "the browser complains");
        let wanted = "enabled=true\nbefore=123\nmost=213\naria=descending\nleast=312\nbyName=123\n\
            ariaOfOne=true\nallStay=123\ncalm=2\ncount=1 of 3\nsections=plugin-2\nhostile=1\nnothing=\n\
            cleared=123\nclosed=true\nopened=true\nlinked=true\nfound=true\nlabelled=true\nfocus=true\n\
            wide=true\nprinted=true\nfolded=true\nharmed=false";
        assert_eq!(told, wanted);
    }
}

#[test]
fn the_browser_test_sees_harm_and_complaints() {
    let Some(browser) = browser() else { return };
    let away = plugins();
    let page = three(away.path());
    let broken = page.replacen("</h1>", "<img src=x onerror=window.harmed=1></h1>", 1);
    let (told, complaints) = open(&browser, away.path(), &held(&broken), HARNESS);
    assert!(told.ends_with("harmed=true"), "{told}");
    assert!(complaints.contains("Content Security Policy"), "{complaints}");
}

/// A browser that can be driven without a window.
fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("PLUGC_BROWSER").filter(|named| !named.is_empty()) {
        return Some(named.into());
    }
    let names = ["chromium", "google-chrome", "headless_shell", "chromium-headless-shell"];
    let path = std::env::var_os("PATH")?;
    let all = names
        .iter()
        .flat_map(|name| std::env::split_paths(&path).map(move |folder| folder.join(name)));
    all.into_iter().find(|file| file.is_file())
}

/// How long a browser may take.
const PATIENCE: Duration = Duration::from_secs(90);

/// Opens a copy of a page with a script at its end: what the script told, and what the browser complained of.
fn open(browser: &Path, folder: &Path, page: &str, harness: &str) -> (String, String) {
    let copy =
        page.replace("</body>", &format!("<script nonce=\"harness\">{harness}</script>\n</body>"));
    let file = folder.join("copy.html");
    fs::write(&file, copy).unwrap();
    let (out, told) = (folder.join("out"), folder.join("told"));
    // Its outputs go to files, as a pipe that nobody reads would hold it up. It reads nothing but our own page.
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--no-first-run", "--window-size=360,800", "--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .stdin(Stdio::null())
        .stdout(File::create(&out).unwrap())
        .stderr(File::create(&told).unwrap())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", browser.display()));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the browser does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let told = String::from_utf8_lossy(&fs::read(told).unwrap()).into_owned();
    assert!(status.success(), "{status}\n{told}");
    let dom = fs::read_to_string(out).unwrap();
    let answer = dom.split("<pre id=\"told\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let complaints: Vec<&str> = told.lines().filter(|line| line.contains("CONSOLE")).collect();
    let answer = answer.unwrap_or_else(|| panic!("the harness did not run\n{told}"));
    (answer.to_owned(), complaints.join("\n"))
}
