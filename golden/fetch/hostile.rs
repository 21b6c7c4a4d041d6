//! Repositories, addresses and circumstances that mean no good.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::HUB;
use super::lab::{Lab, files, text};

/// Debug builds on busy machines are slow; what hangs would take minutes.
const SOON: Duration = Duration::from_secs(30);

#[test]
fn a_server_that_never_answers_is_given_up() {
    let lab = Lab::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let started = Instant::now();
    for address in [format!("git://127.0.0.1:{port}/x"), format!("http://127.0.0.1:{port}/x#main")]
    {
        let text = lab.refuses(&["--timeout", "1", &address], "source/timeout");
        assert!(text.contains("1 seconds"), "{text}");
    }
    assert!(started.elapsed() < SOON);
}

#[test]
fn what_a_killed_fetch_left_is_cleared_away() {
    let lab = Lab::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let source = format!("git://127.0.0.1:{port}/owner/repo#main:plugins/one");
    let mut child = lab.command(&["compile", &source]).spawn().unwrap();
    let (connection, _) = listener.accept().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    drop((connection, listener));
    let store = fs::read_dir(lab.path("cache/git")).unwrap().flatten();
    let repository = store.map(|entry| entry.path()).find(|path| path.is_dir()).unwrap();
    for left in ["shallow.lock", "config.lock", "objects/pack/tmp_pack_x", "refs/plugc/asked.lock"]
    {
        fs::create_dir_all(repository.join(left).parent().unwrap()).unwrap();
        fs::write(repository.join(left), "half").unwrap();
    }
    let _server = lab.daemon(port);
    lab.holds(&[&source], "one");
    let left = files(&repository).into_iter().filter(|file| fs::read(file).unwrap() == b"half");
    assert_eq!(left.count(), 0);
    fs::create_dir_all(lab.path("cache")).unwrap();
}

#[test]
fn a_repository_that_was_half_made_is_made_again() {
    let lab = Lab::new();
    lab.holds(&[&format!("{HUB}#main:plugins/one")], "one");
    let store = fs::read_dir(lab.path("cache/git")).unwrap().flatten();
    let repository = store.map(|entry| entry.path()).find(|path| path.is_dir()).unwrap();
    fs::rename(&repository, repository.with_extension("new")).unwrap();
    fs::write(repository.with_extension("new").join("HEAD"), "half").unwrap();
    lab.holds(&[&format!("{HUB}#main:plugins/one")], "one");
    assert!(repository.is_dir() && !repository.with_extension("new").exists());
}

#[test]
fn several_at_once_do_not_harm_each_other() {
    let lab = Lab::new();
    let commit = lab.git("work", &["rev-parse", "HEAD"]);
    let sources = [format!("{HUB}#main:plugins/one"), format!("{HUB}#{commit}:plugins/one")];
    let started: Vec<_> = (0..6)
        .map(|number| lab.command(&["compile", "-q", &sources[number % 2]]).spawn().unwrap())
        .collect();
    for child in started {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        assert!(text(&output).contains("1 full"), "{}", text(&output));
    }
}

#[test]
fn credentials_are_refused_and_never_shown() {
    let lab = Lab::new();
    let rewritten =
        "[url \"http://me:hunter2@127.0.0.1:1/\"]\n\tinsteadOf = https://mirror.example/\n";
    lab.more_settings(rewritten);
    let sources = [
        "https://me:hunter2@host.example/x",
        "https://hunter2@github.com/owner/repo",
        "ssh://git:hunter2@host.example/x#main",
        "https://host.example/x?token=hunter2",
        "https://me:hun/ter2@host.example/x",
    ];
    for source in sources {
        let text = lab.refuses(&[source], "source/malformed");
        assert!(text.contains("***") && text.contains('^'), "{text}");
        assert!(!text.contains("hunter2") && !text.contains("ter2"), "{text}");
    }
    let text = lab.refuses(&["https://mirror.example/x"], "source/unreachable");
    assert!(!text.contains("hunter2"), "{text}");
    let mut child =
        lab.command(&["compile", "--format", "jsonl", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    let lines = sources.join("\n") + "\nhttps://mirror.example/x\n";
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let all = super::lab::text(&output);
    assert_eq!((output.status.code(), all.lines().count()), (Some(0), sources.len() + 1), "{all}");
    assert!(!all.contains("hunter2") && !all.contains("ter2"), "{all}");
    assert!(all.contains("\"verdict\":\"none\"") && all.contains("source/malformed"), "{all}");
    let kept = files(&lab.path("cache"));
    let has_secret = |file: &std::path::PathBuf| {
        String::from_utf8_lossy(&fs::read(file).unwrap()).contains("hunter2")
    };
    assert!(!kept.iter().any(has_secret));
}

#[test]
fn nothing_is_taken_for_an_option_or_a_program() {
    let lab = Lab::new();
    let mark = lab.path("mark");
    let touch = format!("touch {}", mark.display());
    for source in [
        format!("--upload-pack={touch}"),
        format!("{HUB}#--upload-pack={touch}"),
        format!("{HUB}/tree/--upload-pack=x"),
        format!("work#--upload-pack={touch}"),
        format!("ext::sh -c {}", touch.replace(' ', "% ")),
        format!("ext::{}", touch.replace(' ', "% ")),
        format!("git@-oProxyCommand={}:x", touch.replace(' ', "${IFS}")),
        format!("ssh://-oProxyCommand={}/x", touch.replace([' ', '/'], "")),
        format!("file://{}\n--upload-pack={touch}", lab.hub().display()),
    ] {
        lab.refuses(&["--", &source], "source/");
    }
    // A repository may ask for whatever it likes in its own settings.
    let url = format!("url.ext::{}.insteadOf", touch.replace(' ', "% "));
    lab.git("work", &["config", &url, HUB]);
    lab.more_settings(
        "[protocol \"ext\"]\n\tallow = always\n[safe]\n\tbareRepository = explicit\n",
    );
    lab.holds(&[&format!("{HUB}#main:plugins/one")], "one");
    assert!(!mark.exists());
}

#[test]
fn no_hook_runs() {
    let mut lab = Lab::new();
    let mark = lab.path("mark");
    let hooks = lab.path("template/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in ["reference-transaction", "post-checkout", "post-merge", "pre-auto-gc"] {
        fs::write(hooks.join(hook), format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
        fs::set_permissions(hooks.join(hook), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let template = lab.path("template");
    lab.more_settings(&format!(
        "[init]\n\ttemplateDir = {}\n[core]\n\thooksPath = {}\n",
        template.display(),
        hooks.display()
    ));
    lab.environment.push(("GIT_TEMPLATE_DIR", template));
    lab.holds(&[&format!("{HUB}#main:plugins/one")], "one");
    assert!(!mark.exists());
    lab.git("work", &["update-ref", "refs/heads/shows", "HEAD"]);
    assert!(mark.exists(), "git itself would have run it");
}

#[test]
fn what_is_missing_on_this_machine_is_said() {
    let mut lab = Lab::new();
    fs::write(lab.path("cache"), "no folder").unwrap();
    lab.refuses(&[HUB], "source/store-unusable");
    fs::remove_file(lab.path("cache")).unwrap();
    lab.environment.push(("PATH", lab.path("nothing")));
    lab.refuses(&[HUB], "source/no-git");
}

#[test]
fn a_mistake_is_pointed_at() {
    let lab = Lab::new();
    let text = lab.refuses(&["git:github.com/owner"], "source/malformed");
    assert!(text.contains("\n  git:github.com/owner\n                      ^\n"), "{text}");
    let text = lab.refuses(&["work/plugins/two/x"], "source/not-found");
    assert!(text.contains("\n  work/plugins/two/x\n               ^^^^^\n"), "{text}");
    let text = lab.refuses(&["a\u{1b}[31mb\nc"], "source/not-found");
    assert!(!text.contains('\u{1b}'), "{text:?}");
    let output = lab.plugc(&["why", "nowhere", "x"]);
    assert_eq!(output.status.code(), Some(2));
}
