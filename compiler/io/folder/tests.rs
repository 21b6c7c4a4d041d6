//! Folders on a real disk.

use crate::ir::snapshot::{LARGEST_DOCUMENT, Snapshot};

use super::*;

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, Folder) {
    let disk = tempfile::tempdir().unwrap();
    for (at, text) in files {
        let at = disk.path().join(at);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(at, text).unwrap();
    }
    let folder = Folder::open(disk.path()).unwrap();
    (disk, folder)
}

fn names(listed: Option<Vec<Listed>>) -> Vec<String> {
    let mut names: Vec<String> = listed.unwrap().into_iter().map(|entry| entry.name).collect();
    names.sort();
    names
}

#[test]
fn looks_lists_and_reads() {
    let (_disk, folder) = folder(&[("a/b.md", "text"), ("c", "")]);
    assert_eq!(folder.kind(&RelPath::root()), (Kind::Folder, false));
    assert_eq!(folder.kind(&path("a")), (Kind::Folder, false));
    assert_eq!(folder.kind(&path("a/b.md")), (Kind::File { size: 4, executable: false }, false));
    for missing in ["x", "x/y", "a/x", "c/x"] {
        assert_eq!(folder.kind(&path(missing)), (Kind::Missing, false), "{missing}");
        assert_eq!(
            folder.read(&path(missing), 9),
            Err(Unreadable::NotAFile(Kind::Missing)),
            "{missing}"
        );
    }
    assert_eq!(names(folder.list(&RelPath::root(), 10)), ["a", "c"]);
    assert_eq!(folder.list(&RelPath::root(), 1).unwrap().len(), 1);
    assert_eq!((folder.list(&path("c"), 9), folder.list(&path("x"), 9)), (None, None));
    assert_eq!(folder.read(&path("a/b.md"), 4), Ok(b"text".to_vec()));
    assert_eq!(folder.read(&path("a/b.md"), 3), Err(Unreadable::TooLarge(4)));
    assert_eq!(folder.read(&path("a"), 9), Err(Unreadable::NotAFile(Kind::Folder)));
    assert_eq!(folder.read(&RelPath::root(), 9), Err(Unreadable::NotAFile(Kind::Folder)));
}

#[test]
fn only_a_folder_is_opened() {
    let (disk, _) = folder(&[("a", "")]);
    assert!(Folder::open(&disk.path().join("a")).is_err());
    assert!(Folder::open(&disk.path().join("x")).is_err());
}

#[test]
fn a_large_document_is_not_read() {
    let (disk, folder) = folder(&[]);
    let file = fs::File::create(disk.path().join("large.md")).unwrap();
    file.set_len(LARGEST_DOCUMENT + 1).unwrap();
    assert_eq!(
        folder.read(&path("large.md"), LARGEST_DOCUMENT),
        Err(Unreadable::TooLarge(LARGEST_DOCUMENT + 1))
    );
    file.set_len(LARGEST_DOCUMENT).unwrap();
    assert_eq!(
        folder.read(&path("large.md"), LARGEST_DOCUMENT).unwrap().len() as u64,
        LARGEST_DOCUMENT
    );
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn knows_what_can_be_executed() {
        let (disk, folder) = folder(&[("run", "x")]);
        fs::set_permissions(disk.path().join("run"), fs::Permissions::from_mode(0o710)).unwrap();
        let file = Kind::File { size: 1, executable: true };
        assert_eq!(folder.list(&RelPath::root(), 9).unwrap()[0].kind, file);
        assert_eq!(folder.kind(&path("run")).0, file);
    }

    /// A folder with every kind of link in it, and what lies around it.
    fn linked() -> (tempfile::TempDir, PathBuf) {
        let (outer, _) =
            folder(&[("root/a/b.md", "b"), ("root/d/e", "e"), ("secret", "s"), ("root2/x", "")]);
        let root = outer.path().join("root");
        for (link, target) in [
            ("l-file", "a/b.md"),
            ("l-folder", "a"),
            ("d/up", "../a"),
            ("twice", "l-folder"),
            ("self", "."),
            ("back", "../root/a"),
            ("out", "../secret"),
            ("beside", "../root2"),
            ("etc", "/etc"),
            ("gone", "nothing"),
            ("through", "d/e/f"),
            ("loop", "loop"),
            ("a-loop", "b-loop"),
            ("b-loop", "a-loop"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        (outer, root)
    }

    #[test]
    fn follows_links_inside_only() {
        let (_outer, root) = linked();
        let open = || Folder::open(&root).unwrap();
        let file = Kind::File { size: 1, executable: false };
        for (link, kind, real) in [
            ("l-file", file, "a/b.md"),
            ("l-folder", Kind::Folder, "a"),
            ("d/up", Kind::Folder, "a"),
            ("twice", Kind::Folder, "a"),
            ("self", Kind::Folder, ""),
            ("back", Kind::Folder, "a"),
            ("out", Kind::Outside, "out"),
            ("beside", Kind::Outside, "beside"),
            ("etc", Kind::Outside, "etc"),
            ("gone", Kind::Dangling, "gone"),
            ("through", Kind::Dangling, "through"),
            ("loop", Kind::Loop, "loop"),
            ("a-loop", Kind::Loop, "a-loop"),
        ] {
            assert_eq!(open().kind(&path(link)), (kind.clone(), true), "{link}");
            assert_eq!(open().resolve(&path(link)), path(real), "{link}");
            let mut listed = open().list(&path(link).parent().unwrap(), 99).unwrap();
            listed.retain(|entry| entry.name == path(link).name());
            assert_eq!(listed, [Listed { name: path(link).name().to_owned(), kind, link: true }]);
        }
    }

    #[test]
    fn follows_links_on_the_way() {
        let (_outer, root) = linked();
        let open = || Folder::open(&root).unwrap();
        let file = Kind::File { size: 1, executable: false };
        for (at, kind) in [
            ("d/up/b.md", file.clone()),
            ("self/self/twice/b.md", file),
            ("beside/x", Kind::Outside),
            ("etc/passwd", Kind::Outside),
            ("loop/x", Kind::Loop),
            ("gone/x", Kind::Missing),
            ("l-file/x", Kind::Missing),
        ] {
            assert_eq!(open().kind(&path(at)), (kind, false), "{at}");
        }
        assert_eq!(open().resolve(&path("self/d/up/b.md")), path("a/b.md"));
        assert_eq!(names(open().list(&path("d/up"), 9)), ["b.md"]);
        for at in ["l-file", "d/up/b.md", "self/l-file", "back/b.md"] {
            assert_eq!(open().read(&path(at), 9), Ok(b"b".to_vec()), "{at}");
        }
        assert_eq!(open().read(&path("l-file"), 0), Err(Unreadable::TooLarge(1)));
        for (at, kind) in [
            ("out", Kind::Outside),
            ("beside/x", Kind::Outside),
            ("loop", Kind::Loop),
            ("gone", Kind::Dangling),
        ] {
            assert_eq!(open().read(&path(at), 9), Err(Unreadable::NotAFile(kind)), "{at}");
        }
    }

    #[test]
    fn a_pipe_never_blocks() {
        let (disk, folder) = folder(&[]);
        let made =
            std::process::Command::new("mkfifo").arg(disk.path().join("pipe")).status().unwrap();
        assert!(made.success());
        symlink("pipe", disk.path().join("link")).unwrap();
        symlink("/dev/zero", disk.path().join("zero")).unwrap();
        for at in ["pipe", "link"] {
            assert_eq!(folder.read(&path(at), 9), Err(Unreadable::NotAFile(Kind::Special)));
            assert_eq!(folder.kind(&path(at)).0, Kind::Special);
        }
        assert_eq!(folder.read(&path("zero"), 9), Err(Unreadable::NotAFile(Kind::Outside)));
        let listed = folder.list(&RelPath::root(), 9).unwrap();
        assert_eq!(listed.iter().filter(|entry| entry.kind == Kind::Special).count(), 2);
    }

    #[test]
    fn a_name_that_is_no_text_is_listed_and_not_read() {
        let (disk, folder) = folder(&[]);
        fs::write(disk.path().join(OsStr::from_bytes(b"a\xFF.md")), "x").unwrap();
        let listed = folder.list(&RelPath::root(), 9).unwrap();
        assert_eq!(
            listed,
            [Listed { name: "a\u{fffd}.md".to_owned(), kind: Kind::Special, link: false }]
        );
        let mut snapshot = Snapshot::new(Box::new(folder));
        snapshot.list(&RelPath::root());
        assert_eq!(snapshot.read(&path("a\u{fffd}.md")), Err(Unreadable::NotAFile(Kind::Special)));
    }

    #[test]
    fn what_may_not_be_read_is_denied() {
        let (disk, folder) = folder(&[("file", "x"), ("folder/x", "x")]);
        for at in ["file", "folder"] {
            fs::set_permissions(disk.path().join(at), fs::Permissions::from_mode(0o000)).unwrap();
        }
        // Whoever may do everything is denied nothing.
        if fs::read(disk.path().join("file")).is_err() {
            assert_eq!(folder.read(&path("file"), 9), Err(Unreadable::Denied));
            assert_eq!(folder.list(&path("folder"), 9), None);
            assert_eq!(folder.kind(&path("folder/x")).0, Kind::Denied);
        }
        fs::set_permissions(disk.path().join("folder"), fs::Permissions::from_mode(0o700)).unwrap();
    }
}
