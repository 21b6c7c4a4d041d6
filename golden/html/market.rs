//! The page of a marketplace.

use std::fs;

use regex::Regex;
use tempfile::TempDir;

use super::{HOSTILE, bare, browser, held, open, page};

/// A marketplace whose every text is hostile. Five plugins: the first loses security, the second is called as the
/// first but for capitals, the third is calm, and the last is listed as the third is.
fn market() -> TempDir {
    let away = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| {
        let path = away.path().join("a & 'b'").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let word = |text: &str| serde_json::Value::from(text).to_string();
    let (hostile, loud) = (word(HOSTILE), word(&HOSTILE.to_uppercase()));
    let repository = word(&format!("o/{HOSTILE}"));
    let commit = word(&"0123456789".repeat(4));
    write(
        ".claude-plugin/marketplace.json",
        &format!(
            "{{ \"name\": {hostile}, {hostile}: {hostile}, \"plugins\": [\n\
             {{ \"name\": {hostile}, \"source\": \"./a\" }},\n\
             {{ \"name\": {loud}, \"source\": {{ \"source\": \"github\", \"repo\": {repository}, \"sha\": {commit} }} }},\n\
             {{ \"name\": \"calm\", \"source\": \"./calm\" }},\n\
             {{ \"name\": \"also\", \"source\": \"./also\" }},\n\
             {{ \"name\": \"calm\", \"source\": \"./also\" }} ] }}"
        ),
    );
    let tools = HOSTILE.replace('\'', "");
    write(
        "a/agents/one.md",
        &format!("---\nname: one\ndescription: x\ntools: Read, 'Bash({tools})'\n---\nx\n"),
    );
    for (folder, name) in [("a", HOSTILE), ("calm", "calm"), ("also", "also")] {
        let name = word(name);
        write(&format!("{folder}/.claude-plugin/plugin.json"), &format!("{{ \"name\": {name} }}"));
        let server = format!("{{ {hostile}: {{ \"command\": \"true\" }} }}");
        write(&format!("{folder}/.mcp.json"), &format!("{{ \"mcpServers\": {server} }}"));
    }
    away
}

fn shown(away: &TempDir) -> String {
    page(away.path(), &["a & 'b'", "--marketplace"])
}

/// The part of a page from one text to the next that ends it.
fn part<'p>(page: &'p str, from: &str, to: &str) -> &'p str {
    let rest = page.split_once(from).unwrap_or_else(|| panic!("no {from} in\n{page}")).1;
    rest.split_once(to).unwrap().0
}

#[test]
fn every_entry_has_a_row_and_a_section() {
    let page = shown(&market());
    for number in 1..=5 {
        let row = format!("<tr><th scope=\"row\"><a href=\"#plugin-{number}\">");
        assert_eq!(page.matches(&row).count(), 1, "{page}");
        assert_eq!(page.matches(&format!("id=\"plugin-{number}\"")).count(), 1, "{page}");
    }
    assert!(!page.contains("plugin-6"));
    let row = |number: usize| {
        part(&page, &format!("<tr><th scope=\"row\"><a href=\"#plugin-{number}\">"), "</tr>")
    };
    let installed =
        |number| row(number).contains("<td data-key=\"0\"><span class=\"verdict full\">yes</span>");
    assert_eq!([1, 2, 3, 4, 5].map(installed), [false, false, true, true, false], "{page}");
    assert_eq!(page.matches("as it stands: <span class=\"verdict full\">yes").count(), 2, "{page}");
    assert_eq!(page.matches("as it stands: <span class=\"verdict none\">no").count(), 3, "{page}");
}

#[test]
fn the_score_is_that_of_the_marketplace() {
    let away = market();
    let page = shown(&away);
    let score = part(&page, "id=\"score\"", "</section>");
    for wanted in [
        "<strong>5</strong> plugins",
        "<strong>2</strong> full",
        "<strong>1</strong> partial",
        "<strong>2</strong> none",
        "<strong>2</strong> installed from the marketplace as it stands",
        "1 plugin loses security",
        "<a href=\"#plugin-1\">",
    ] {
        assert!(score.contains(wanted), "the score lacks {wanted}\n{score}");
    }
    assert!(part(&page, "<header>", "</header>").contains("<bdi>a &amp; &#39;b&#39;</bdi>"));
    let share = super::page(away.path(), &["a & 'b'", "--marketplace", "--shard", "1/2"]);
    assert!(
        part(&share, "<header>", "</header>").contains("share <strong>1/2</strong>"),
        "{share}"
    );
}

#[test]
fn marketplace_text_is_text() {
    let page = shown(&market());
    assert_eq!(page.matches("<script").count(), 1);
    let lower = page.to_lowercase();
    assert!(!lower.contains("<img") && !lower.contains("<b>") && !page.contains('\u{202e}'));
    let shown = "&lt;script&gt;window.harmed=1&lt;/script&gt;&lt;img src=x onerror=window.harmed=1&gt;&quot;&#39;&amp; a\u{fffd}b";
    for (from, to) in [
        ("<title>", "</title>"),
        ("<h1>", "</h1>"),
        ("<h3><span class=\"loss security\">", "</section>"),
        ("<section aria-labelledby=\"list\">", "</section>"),
        ("<table class=\"claimed\">", "</table>"),
        ("marketplace-entry/source-form", "</article>"),
    ] {
        let part = part(&page, from, to);
        assert!(part.contains(shown), "after {from}\n{part}");
    }
    super::elements_end(&page);
}

#[test]
fn a_reason_says_what_to_write_instead() {
    let page = shown(&market());
    let reason = part(&page, "marketplace-entry/source-form", "</article>");
    assert!(reason.contains("help: <bdi>write `{ &quot;source&quot;: &quot;url&quot;"), "{reason}");
    assert!(reason.contains("&quot;sha&quot;: &quot;0123456789"), "{reason}");
    let quiet = super::page(market().path(), &["a & 'b'", "--marketplace", "-q"]);
    assert!(!quiet.contains("help: ") && !quiet.contains("<article"), "{quiet}");
    assert!(
        quiet.contains("<table class=\"claimed\">") && quiet.contains("as it stands: "),
        "{quiet}"
    );
}

#[test]
fn a_claimed_name_leads_to_the_plugins_that_are_certain() {
    let page = shown(&market());
    let links = Regex::new("href=\"#([^\"]*)\"").unwrap();
    assert!(links.captures_iter(&page).all(|link| page.contains(&format!("id=\"{}\"", &link[1]))));
    let table = part(&page, "<table class=\"claimed\">", "</table>");
    assert!(table.starts_with("<caption>") && table.contains("<th scope=\"row\">"), "{table}");
    let rows: Vec<(Vec<&str>, bool)> = table
        .split("<tr>")
        .skip(2)
        .map(|row| {
            let links = links.captures_iter(row).map(|link| link.get(1).unwrap().as_str());
            (links.collect(), row.contains("<td>yes</td>"))
        })
        .collect();
    // Which `calm` has the server cannot be said; which are called so can.
    let wanted = [
        (vec!["plugin-1", "plugin-4"], false),
        (vec!["plugin-1", "plugin-2"], true),
        (vec!["plugin-3", "plugin-5"], false),
    ];
    assert_eq!(rows, wanted, "{table}");
}

#[test]
fn long_lists_are_folded() {
    let away = tempfile::tempdir().unwrap();
    let write = |file: String, text: &str| {
        let path = away.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let names: Vec<String> = (0..20).map(|number| format!("plugin{number}")).collect();
    for name in &names {
        write(format!("{name}/.claude-plugin/plugin.json"), &format!("{{ \"name\": \"{name}\" }}"));
        for command in 0..30 {
            write(format!("{name}/commands/c{command:02}.md"), "x\n");
        }
    }
    let entries: Vec<String> = names
        .iter()
        .map(|name| format!("{{ \"name\": \"{name}\", \"source\": \"./{name}\" }}"))
        .collect();
    write(
        ".claude-plugin/marketplace.json".to_owned(),
        &format!("{{ \"name\": \"long\", \"plugins\": [{}] }}", entries.join(", ")),
    );
    let page = page(away.path(), &[]);
    let claimed = part(&page, "id=\"claimed\"", "</section>");
    assert_eq!(claimed.matches("<summary>15 more</summary>").count(), 1, "{claimed}");
    assert_eq!(claimed.matches("<summary>12 more</summary>").count(), 30);
    assert_eq!(claimed.matches("href=\"#plugin-20\"").count(), 30);
    assert_eq!(claimed.matches("<caption>").count(), 2);
}

#[test]
fn without_a_marketplace_nothing_is_said_of_one() {
    let page = shown(&market());
    let alone = super::page(&market().path().join("a & 'b'"), &["calm"]);
    for word in ["as it stands", "class=\"place\">marketplace", "id=\"claimed\"", "<dt>entry</dt>"]
    {
        let markup = |page: &str| part(page, "</style>", "<script>").contains(word);
        assert!(markup(&page) && !markup(&alone), "{word}");
    }
}

#[test]
fn a_browser_sorts_searches_and_follows_what_a_marketplace_adds() {
    let Some(browser) = browser() else { return };
    let away = market();
    let page = shown(&away);
    let harness = concat!(include_str!("hands.js"), include_str!("market.js"));
    for copy in [held(&page), bare(&page)] {
        let (told, complaints) = open(&browser, away.path(), &copy, harness);
        assert_eq!(complaints, "", "the browser complains");
        let wanted = "columns=10\nbefore=12345\nleftFirst=12534\ninstalledFirst=34125\nno=125\nyes=3\n\
            unclosed=43\ncard=\"as it stands: no\" 125 true\nclaimed=6\ninsecure=#plugin-1\nagain=true\n\
            keyboard=true\nnarrow=true\nwithin=true\nharmed=false";
        assert_eq!(told, wanted);
    }
}
