//! Repositories are fetched with the real git, from repositories on this machine that stand in for those on the web;
//! archives with a curl of the test's own, and once with the real one.
#![cfg(unix)]

mod archive;
mod hostile;
mod https;
mod lab;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use lab::{Lab, MANIFEST, files};
use plugc::io::source::{Fetch, open};
use plugc::ir::path::RelPath;
use plugc::ir::snapshot::{Kind, LARGEST_DOCUMENT, Unreadable};
use plugc::ir::source::{At, Git, Repository, Revision, Source, Url};

const HUB: &str = "https://github.com/owner/repo";

#[test]
fn every_form_leads_to_the_plugin() {
    let lab = Lab::new();
    let commit = lab.git("work", &["rev-parse", "HEAD"]);
    lab.git("work", &["tag", "-a", "-m", "x", "v1"]);
    lab.git("work", &["push", "--quiet", lab.hub().to_str().unwrap(), "v1"]);
    for source in [
        "git:github.com/owner/repo#:plugins/one".to_owned(),
        format!("{HUB}/tree/main/plugins/one"),
        format!("{HUB}/tree/{commit}/plugins/one"),
        format!("{HUB}.git#main:plugins/one"),
        format!("{HUB}#v1:plugins/one"),
        format!("{HUB}#refs/heads/main:plugins/one"),
        format!("{HUB}#{commit}:plugins/one"),
        format!("{}#main:plugins/one", lab.file_url()),
        "work#main:plugins/one".to_owned(),
        format!("hub/owner/repo#{commit}:plugins/one"),
    ] {
        lab.holds(&[&source], "one");
    }
    lab.refuses(&[&format!("{HUB}#:plugins/two")], "source/folder-missing");
    lab.refuses(&[&format!("{HUB}#:plugins/one/{MANIFEST}")], "source/folder-missing");
    lab.refuses(&[&format!("{HUB}#missing")], "source/ref-unknown");
    lab.refuses(&[&format!("{HUB}/tree/missing/plugins/one")], "source/ref-unknown");
    lab.refuses(&["work#missing"], "source/ref-unknown");
    lab.refuses(&["https://github.com/owner/missing"], "source/unreachable");
    lab.refuses(&["missing#main"], "source/not-found");
}

#[test]
fn a_branch_may_hold_slashes() {
    let lab = Lab::new();
    lab.plugin("two");
    lab.push("feature/new/things");
    lab.git("hub/owner/repo", &["tag", "feature/new", "main"]);
    lab.holds(&[&format!("{HUB}/tree/feature/new/things/plugins/one")], "two");
    lab.holds(&[&format!("{HUB}/tree/feature/new/plugins/one")], "one");
    lab.refuses(&[&format!("{HUB}/tree/feature/old/plugins/one")], "source/ref-unknown");
}

#[test]
fn what_is_pinned_needs_no_network_again() {
    let lab = Lab::new();
    lab.write("plugins/one/huge.bin", lab::noise(9 << 20));
    let commit = lab.push("main");
    let pinned = format!("{HUB}#{commit}:plugins/one");
    let text = lab.refuses(&["--offline", &pinned], "source/offline");
    assert!(text.contains(&commit), "{text}");
    let first = lab.compiled(&[&pinned]);
    fs::rename(lab.path("hub"), lab.path("away")).unwrap();
    assert_eq!(lab.compiled(&["--offline", &pinned]), first);
    assert_eq!(lab.compiled(&[&pinned]), first);
    let tree = format!("{HUB}/tree/{commit}/plugins/one");
    assert_eq!(lab.compiled(&["--offline", &tree])["name"], first["name"]);
    for moving in [HUB.to_owned(), format!("{HUB}#main"), format!("{HUB}/tree/main")] {
        lab.refuses(&["--offline", &moving], "source/offline");
    }
    lab.refuses(&["--offline", &format!("{HUB}#{commit}")], "source/offline");
}

#[test]
fn a_branch_moves_and_a_commit_may_vanish() {
    let lab = Lab::new();
    let old = lab.git("work", &["rev-parse", "HEAD"]);
    lab.holds(&[&format!("{HUB}#main:plugins/one")], "one");
    lab.plugin("two");
    lab.git("work", &["checkout", "--quiet", "--orphan", "other"]);
    lab.push("main");
    lab.git("hub/owner/repo", &["reflog", "expire", "--expire=now", "--all"]);
    lab.git("hub/owner/repo", &["gc", "--quiet", "--prune=now"]);
    lab.holds(&[&format!("{HUB}#main:plugins/one")], "two");
    lab.holds(&[&format!("{HUB}#{old}:plugins/one")], "one");
    fs::remove_dir_all(lab.path("cache")).unwrap();
    lab.refuses(&[&format!("{HUB}#{old}:plugins/one")], "source/commit-gone");
}

#[test]
fn a_huge_repository_is_fetched_in_part_and_in_two_goes() {
    let lab = Lab::new();
    for number in 0..200 {
        lab.write(&format!("plugins/one/docs/{number}.md"), format!("{number}"));
    }
    lab.write("elsewhere/huge.bin", lab::noise(60 << 20));
    lab.write("plugins/one/large.bin", lab::noise(9 << 20));
    lab.push("main");
    lab.holds(&[&format!("{HUB}#main:plugins/one")], "one");
    assert!(lab.stored() < 1 << 20, "{} bytes", lab.stored());
    let is_pack = |file: &&std::path::PathBuf| file.extension().is_some_and(|end| end == "pack");
    let packs = files(&lab.path("cache")).iter().filter(is_pack).count();
    assert_eq!(packs, 2, "the commit with its folders, and the files of one folder");
}

#[test]
fn a_server_that_cannot_leave_out_files_is_asked_for_all() {
    let lab = Lab::new();
    lab.git("hub/owner/repo", &["config", "uploadpack.allowFilter", "false"]);
    lab.holds(&[&format!("{HUB}#main:plugins/one")], "one");
}

#[test]
fn an_older_git_does_as_well() {
    let mut lab = Lab::new();
    let script =
        "for a; do [ \"$a\" = --refetch ] && exit 129; done\nPATH=${PATH#*:}\nexec git \"$@\"";
    program(&lab, "old/git", script);
    let path = format!("{}:{}", lab.path("old").display(), std::env::var("PATH").unwrap());
    lab.environment.push(("PATH", path.into()));
    lab.holds(&[&format!("{HUB}#main:plugins/one")], "one");
}

#[test]
fn a_very_large_folder_is_fetched_where_it_is_read() {
    let lab = Lab::new();
    for number in 0..2_100 {
        lab.write(&format!("many/{number}.txt"), format!("{number}"));
    }
    lab.write(MANIFEST, "{ \"name\": \"root\" }");
    lab.write("skills/greet/SKILL.md", "---\nname: greet\ndescription: Greets.\n---\nHello.\n");
    let commit = lab.push("main");
    lab.holds(&[HUB], "root");
    fs::rename(lab.path("hub"), lab.path("away")).unwrap();
    lab.holds(&["--offline", &format!("{HUB}#{commit}")], "root");
}

#[test]
fn git_daemon_serves_it_too() {
    let lab = Lab::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let _server = lab.daemon(port);
    lab.holds(&[&format!("git://127.0.0.1:{port}/owner/repo#main:plugins/one")], "one");
}

/// A program that the environment finds before any other of its name.
fn program(lab: &Lab, path: &str, script: &str) {
    let file = lab.path(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn ssh_asks_nobody_and_may_be_the_users_own() {
    let mut lab = Lab::new();
    lab.git("hub/owner/repo", &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let log = lab.path("log");
    // Many servers do not pass on which protocol is spoken, so it is the oldest.
    let rest = "unset GIT_PROTOCOL\nfor a; do last=$a; done\neval \"$last\"";
    program(&lab, "bin/ssh", &format!("echo \"$@\" >> {}\n{rest}", log.display()));
    let path = format!("{}:{}", lab.path("bin").display(), std::env::var("PATH").unwrap());
    lab.environment.push(("PATH", path.into()));
    let commit = lab.git("work", &["rev-parse", "HEAD"]);
    let hub = lab.hub();
    lab.holds(&[&format!("ssh://git@host.example{}#main:plugins/one", hub.display())], "one");
    lab.holds(&[&format!("git@host.example:{}#{commit}:plugins/one", hub.display())], "one");
    let told = fs::read_to_string(&log).unwrap();
    assert!(told.lines().all(|line| line.contains("BatchMode=yes")), "{told}");
    lab.git("hub/owner/repo", &["config", "uploadpack.allowAnySHA1InWant", "false"]);
    fs::remove_dir_all(lab.path("cache")).unwrap();
    lab.holds(&[&format!("ssh://git@host.example{}#main:plugins/one", hub.display())], "one");
    program(&lab, "own", &format!("echo own >> {}\n{rest}", log.display()));
    lab.more_settings(&format!("[core]\n\tsshCommand = {}\n", lab.path("own").display()));
    lab.holds(&[&format!("ssh://git@other.example{}#main:plugins/one", hub.display())], "one");
    assert!(fs::read_to_string(&log).unwrap().contains("own"));
}

#[test]
fn a_submodule_is_told_of() {
    let lab = Lab::new();
    let info = format!("160000,{},plugins/one/vendor", lab.git("work", &["rev-parse", "HEAD"]));
    lab.git("work", &["update-index", "--add", "--cacheinfo", &info]);
    lab.commit("main");
    let report = lab.compiled(&[&format!("{HUB}#main:plugins/one")]);
    let told = report["diagnostics"].as_array().unwrap();
    let told = told.iter().find(|one| one["code"] == "source/submodule").unwrap();
    assert_eq!((&told["file"], &report["verdict"]), (&"vendor".into(), &"partial".into()));
}

#[test]
fn files_are_what_the_commit_holds() {
    let lab = Lab::new();
    let work = lab.path("work/plugins/one");
    fs::write(work.join("crlf.txt"), "a\r\nb\n").unwrap();
    fs::write(work.join("run"), "x").unwrap();
    fs::write(work.join("large.bin"), lab::noise(9 << 20)).unwrap();
    fs::write(work.join(".gitattributes"), "* filter=evil\n").unwrap();
    for (link, to) in [("in", "crlf.txt"), ("out", "../../x"), ("round", "round"), ("far", "/etc")]
    {
        symlink(to, work.join(link)).unwrap();
    }
    symlink("one", lab.path("work/plugins/alias")).unwrap();
    lab.git("work", &["add", "-A"]);
    lab.git("work", &["update-index", "--chmod=+x", "plugins/one/run"]);
    let commit = lab.commit("main");
    let mark = lab.path("mark");
    lab.more_settings(&format!(
        "[filter \"evil\"]\n\tsmudge = touch {}\n[core]\n\tautocrlf = true\n",
        mark.display()
    ));
    let url = Url::parse(&lab.file_url()).unwrap();
    for (repository, path) in [
        (Repository::Remote(url.clone()), "plugins/one"),
        (Repository::Remote(url), "plugins/alias"),
        (Repository::Local(lab.path("work").display().to_string()), "plugins/one"),
    ] {
        let path = RelPath::parse(path).unwrap();
        let at = At::Named(Revision::parse(&commit).unwrap());
        let how = Fetch { store: Some(lab.path("other")), ..Fetch::default() };
        let opened = open(&Source::Git(Git { repository, at, path }), &how).unwrap();
        assert_eq!(opened.content.and_then(|one| one.commit()), Some(commit.clone()));
        let file = |size, executable| Kind::File { size, executable };
        for (name, kind, link) in [
            ("crlf.txt", file(5, false), false),
            ("run", file(1, true), false),
            ("in", file(5, false), true),
            ("out", Kind::Outside, true),
            ("round", Kind::Loop, true),
            ("far", Kind::Outside, true),
            ("skills/greet", Kind::Folder, false),
            ("missing", Kind::Missing, false),
        ] {
            let path = RelPath::parse(name).unwrap();
            assert_eq!(opened.files.kind(&path), (kind, link), "{name}");
        }
        let linked = RelPath::parse("in").unwrap();
        assert_eq!(opened.files.read(&linked, LARGEST_DOCUMENT), Ok(b"a\r\nb\n".to_vec()));
        assert_eq!(opened.files.read(&linked, 2), Err(Unreadable::TooLarge(5)));
        assert_eq!(opened.files.read(&linked, 9), Ok(b"a\r\nb\n".to_vec()), "after a large one");
        let large = RelPath::parse("large.bin").unwrap();
        assert!(matches!(
            opened.files.read(&large, LARGEST_DOCUMENT),
            Err(Unreadable::TooLarge(_))
        ));
        assert_eq!(opened.files.read(&large, 16 << 20).map(|bytes| bytes.len()), Ok(9 << 20));
    }
    assert!(!mark.exists(), "no filter runs");
}

#[test]
fn an_archive_is_a_source() {
    let lab = Lab::new();
    lab.git("work", &["archive", "-o", "../one.zip", "--prefix=one-1.0/", "HEAD:plugins/one"]);
    lab.git("work", &["archive", "-o", "../one.tar.gz", "--prefix=one-1.0/", "HEAD:plugins/one"]);
    lab.holds(&["one.zip"], "one");
    lab.holds(&["one.tar.gz"], "one");
    lab.write("plugins/one/docs/a.md", "x");
    lab.write("plugins/one/Docs/b.md", "x");
    lab.push("main");
    lab.git("work", &["archive", "-o", "../two.zip", "HEAD:plugins/one"]);
    let report = lab.compiled(&["two.zip"]);
    assert_eq!(report["verdict"], "partial");
    assert!(report["diagnostics"].to_string().contains("source/case-collision"), "{report}");
    fs::write(lab.path("broken.zip"), "no archive").unwrap();
    let report = lab.compiled(&["broken.zip"]);
    assert_eq!(report["verdict"], "none");
    assert_eq!(report["diagnostics"][0]["code"], "source/archive-broken");
}
