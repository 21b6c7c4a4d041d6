//! Each trick that an archive may play, and what comes of it.

use std::io::Write;

use ::zip::write::SimpleFileOptions;
use ::zip::{CompressionMethod, ZipWriter};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

/// Reads an archive of that name with those bytes.
fn open(name: &str, bytes: &[u8]) -> Result<Archive, Fault> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    Archive::open(&path)
}

/// The code, the path and the detail of a fault.
fn why(opened: Result<Archive, Fault>) -> (String, String) {
    let fault = opened.map(|_| ()).unwrap_err();
    assert!(fault.exists, "{fault:?}");
    let words: Vec<&str> = fault.words.iter().map(|(_, word)| word.as_str()).collect();
    (fault.code.to_string(), words.join(": "))
}

fn is_unsafe(opened: Result<Archive, Fault>, detail: &str) {
    let (code, words) = why(opened);
    assert_eq!(code, "source/archive-unsafe", "{words}");
    assert!(words.contains(detail), "{words}");
}

fn is_broken(opened: Result<Archive, Fault>, detail: &str) {
    let (code, words) = why(opened);
    assert_eq!(code, "source/archive-broken", "{words}");
    assert!(words.contains(detail), "{words}");
}

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

fn zipped(names: &[&str]) -> Vec<u8> {
    let mut zip = ZipWriter::new(io::Cursor::new(Vec::new()));
    for name in names {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(name.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Bytes with every occurrence of one text replaced by another of its length.
fn patched(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut found = 0;
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
            found += 1;
        }
    }
    assert!(found > 0);
    bytes
}

/// One entry of a tar, whatever its name and its target are.
fn entry(kind: EntryKind, name: &[u8], target: &[u8], content: &[u8]) -> Vec<u8> {
    let mut header = ::tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(0o755);
    header.set_size(content.len() as u64);
    let old = header.as_old_mut();
    old.name[..name.len()].copy_from_slice(name);
    old.linkname[..target.len()].copy_from_slice(target);
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

type EntryKind = ::tar::EntryType;

fn tarred(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    for entry in entries {
        gz.write_all(entry).unwrap();
    }
    gz.write_all(&[0; 1024]).unwrap();
    gz.finish().unwrap()
}

fn file(name: &str) -> Vec<u8> {
    entry(EntryKind::Regular, name.as_bytes(), b"", b"text")
}

#[test]
fn both_kinds_are_read_and_a_single_top_folder_is_none() {
    let executable = SimpleFileOptions::default().unix_permissions(0o755);
    let mut zip = ZipWriter::new(io::Cursor::new(Vec::new()));
    zip.add_directory("top/", executable).unwrap();
    zip.start_file("top/run", executable).unwrap();
    zip.write_all(b"text").unwrap();
    zip.add_symlink("top/link", "run", executable).unwrap();
    zip.add_directory("top/empty/", executable).unwrap();
    let zip = zip.finish().unwrap().into_inner();
    let tar = tarred(&[
        entry(EntryKind::XGlobalHeader, b"pax_global_header", b"", b"12 comment=\n"),
        entry(EntryKind::Directory, b"top/", b"", b""),
        file("top/run"),
        entry(EntryKind::Symlink, b"top/link", b"run", b""),
        entry(EntryKind::Directory, b"top/empty", b"", b""),
    ]);
    for (name, bytes) in [("a.zip", &zip), ("a.tar.gz", &tar), ("A.TGZ", &tar)] {
        let archive = open(name, bytes).unwrap();
        let run = Kind::File { size: 4, executable: true };
        assert_eq!(archive.kind(&path("run")), (run.clone(), false), "{name}");
        assert_eq!(archive.kind(&path("link")), (run, true), "{name}");
        assert_eq!(archive.kind(&path("empty")).0, Kind::Folder);
        assert_eq!(archive.read(&path("link"), 9), Ok(b"text".to_vec()));
        assert_eq!(archive.read(&path("run"), 3), Err(Unreadable::TooLarge(4)));
        let names = archive.list(&path(""), 9).unwrap();
        assert_eq!(
            names.iter().map(|one| &*one.name).collect::<Vec<_>>(),
            ["empty", "link", "run"]
        );
        assert_eq!(archive.sha256, crate::io::hex(&Sha256::digest(bytes)));
        assert!(archive.collisions.is_empty());
    }
    let two = open("a.zip", &zipped(&["one/a", "two/b"])).unwrap();
    assert_eq!(two.kind(&path("one")).0, Kind::Folder);
    let dotted = open("a.zip", &zipped(&[".folder/plugin.json"])).unwrap();
    assert_eq!(dotted.kind(&path(".folder")).0, Kind::Folder);
}

#[test]
fn names_that_lead_out_are_refused() {
    for (name, detail) in [
        ("../x", "climbs"),
        ("a/../../x", "climbs"),
        ("a/..", "climbs"),
        ("/etc/x", "absolute"),
        ("C:/x", "absolute"),
        ("c:x", "absolute"),
        ("a\\..\\x", "backslash"),
        ("\\\\host\\x", "backslash"),
    ] {
        is_unsafe(open("a.tar.gz", &tarred(&[file(name)])), detail);
        // Writers mend such names, so one of the same length is patched.
        let plain = "x".repeat(name.len());
        let zip = patched(zipped(&[&plain]), plain.as_bytes(), name.as_bytes());
        is_unsafe(open("a.zip", &zip), detail);
    }
    is_unsafe(open("a.zip", &patched(zipped(&["xyz"]), b"xyz", b"x\0z")), "NUL");
    let long =
        [entry(EntryKind::GNULongName, b"././@LongLink", b"", b"../../long\0"), file("short")];
    is_unsafe(open("a.tar.gz", &tarred(&long)), "climbs");
    let pax = [entry(EntryKind::XHeader, b"x", b"", b"13 path=/etc\n"), file("short")];
    is_unsafe(open("a.tar.gz", &tarred(&pax)), "absolute");
    let nul = [entry(EntryKind::XHeader, b"x", b"", b"12 path=a\0b\n"), file("short")];
    is_unsafe(open("a.tar.gz", &tarred(&nul)), "NUL");
}

#[test]
fn links_stay_inside() {
    let link =
        |name: &str, to: &str| entry(EntryKind::Symlink, name.as_bytes(), to.as_bytes(), b"");
    let archive = open(
        "a.tar.gz",
        &tarred(&[
            file("in"),
            link("out", "../x"),
            link("etc", "/etc/passwd"),
            link("a", "b"),
            link("b", "a"),
            link("c1", "c2"),
            link("c2", "../../etc"),
            link("good", "./in"),
        ]),
    )
    .unwrap();
    for (name, kind) in [
        ("out", Kind::Outside),
        ("etc", Kind::Outside),
        ("a", Kind::Loop),
        ("c1", Kind::Outside),
        ("good", Kind::File { size: 4, executable: true }),
    ] {
        assert_eq!(archive.kind(&path(name)), (kind, true), "{name}");
    }
    let through = [link("out", "/tmp"), file("out/x")];
    is_unsafe(open("a.tar.gz", &tarred(&through)), "no folder");
    is_unsafe(open("a.tar.gz", &tarred(&[file("x/y"), link("x", "/tmp")])), "no folder");
    is_unsafe(open("a.tar.gz", &tarred(&[link("x", "a\\b")])), "no path");
    is_unsafe(open("a.tar.gz", &tarred(&[link("x", "")])), "no path");
}

#[test]
fn hard_links_and_devices_are_only_what_they_are() {
    let hard = |name: &str, to: &str| entry(EntryKind::Link, name.as_bytes(), to.as_bytes(), b"");
    let archive = open("a.tar.gz", &tarred(&[file("one"), hard("two", "one")])).unwrap();
    assert_eq!(archive.read(&path("two"), 9), Ok(b"text".to_vec()));
    is_unsafe(open("a.tar.gz", &tarred(&[hard("x", "/etc/passwd")])), "absolute");
    is_unsafe(open("a.tar.gz", &tarred(&[hard("x", "../x")])), "climbs");
    is_unsafe(open("a.tar.gz", &tarred(&[hard("x", "later"), file("later")])), "not there");
    for kind in [EntryKind::Char, EntryKind::Block, EntryKind::Fifo] {
        let archive = open("a.tar.gz", &tarred(&[entry(kind, b"x", b"", b""), file("y")])).unwrap();
        assert_eq!(archive.kind(&path("x")).0, Kind::Special);
        assert_eq!(archive.read(&path("x"), 9), Err(Unreadable::NotAFile(Kind::Special)));
    }
}

#[test]
fn a_name_counts_once() {
    is_unsafe(open("a.tar.gz", &tarred(&[file("x"), file("./x")])), "twice");
    is_unsafe(open("a.tar.gz", &tarred(&[file("x"), file("x/y")])), "no folder");
    let twice = patched(zipped(&["one", "two"]), b"two", b"one");
    is_unsafe(open("a.zip", &twice), "one name");
    let folders = [entry(EntryKind::Directory, b"x/", b"", b""), file("x/y"), file("z")];
    let again = [folders.to_vec(), vec![entry(EntryKind::Directory, b"x", b"", b"")]].concat();
    assert!(open("a.tar.gz", &tarred(&again)).is_ok(), "a folder may be told twice");
    let archive = open("a.zip", &zipped(&["A/x", "a/y", "b"])).unwrap();
    assert_eq!(archive.collisions, [("A".to_owned(), "a".to_owned())]);
}

#[test]
fn bombs_do_not_go_off() {
    let zeros = vec![0; 1 << 20];
    let mut zip = ZipWriter::new(io::Cursor::new(Vec::new()));
    for number in 0..513 {
        zip.start_file(format!("{number}"), SimpleFileOptions::default()).unwrap();
        zip.write_all(&zeros).unwrap();
    }
    let bomb = zip.finish().unwrap().into_inner();
    assert!(bomb.len() < 2 << 20);
    assert_eq!(why(open("a.zip", &bomb)).0, "source/archive-too-large");
    let names: Vec<String> = (0..=MOST_ENTRIES).map(|number| number.to_string()).collect();
    let many = zipped(&names.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(why(open("a.zip", &many)).0, "source/archive-too-large");
    let mut header = ::tar::Header::new_gnu();
    header.set_size(MOST_UNPACKED + 1);
    header.set_path("x").unwrap();
    header.set_cksum();
    let lie = tarred(&[header.as_bytes().to_vec()]);
    assert_eq!(why(open("a.tar.gz", &lie)).0, "source/archive-too-large");
    // A device may say that it is long, and must be passed over.
    header.set_entry_type(EntryKind::Char);
    header.set_size(MOST_UNPACKED * 8);
    header.set_cksum();
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(header.as_bytes()).unwrap();
    for _ in 0..MOST_UNPACKED >> 20 {
        gz.write_all(&[zeros.as_slice(), &zeros].concat()).unwrap();
    }
    is_broken(open("a.tar.gz", &gz.finish().unwrap()), "");
    let long = entry(EntryKind::GNULongName, b"x", b"", &vec![b'a'; 1 << 20]);
    is_broken(open("a.tar.gz", &tarred(&[long, file("x")])), "too long");
    let sizes = [entry(EntryKind::XHeader, b"x", b"", b"9 size=0\n"), file("x")];
    is_broken(open("a.tar.gz", &tarred(&sizes)), "two sizes");
}

#[test]
fn lies_about_sizes_are_seen() {
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut zip = ZipWriter::new(io::Cursor::new(Vec::new()));
    zip.start_file("x", stored).unwrap();
    zip.write_all(&[7; 0x1234]).unwrap();
    let zip = zip.finish().unwrap().into_inner();
    for lie in [0x0001_u32, 0x1233, 0x1235, 0x7fff_ffff] {
        let lying = patched(zip.clone(), &0x1234_u32.to_le_bytes(), &lie.to_le_bytes());
        let (code, words) = why(open("a.zip", &lying));
        assert!(code.starts_with("source/archive-"), "{lie}: {code} {words}");
    }
    let mut zip = ZipWriter::new(io::Cursor::new(Vec::new()));
    zip.start_file("x", stored.large_file(true)).unwrap();
    zip.write_all(&[7; 0x1234]).unwrap();
    let zip = zip.finish().unwrap().into_inner();
    // The wide sizes of zip64 lie.
    let lying = patched(zip, &0x1234_u64.to_le_bytes(), &u64::MAX.to_le_bytes());
    let (code, words) = why(open("a.zip", &lying));
    assert!(code.starts_with("source/archive-"), "{code} {words}");
}

#[test]
fn what_cannot_be_opened_says_so() {
    // Bit 0 of the flags, in the local and in the central header.
    let mut zip = zipped(&["x"]);
    let central = zip.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    zip[6] |= 1;
    zip[central + 8] |= 1;
    assert_eq!(why(open("a.zip", &zip)), ("source/archive-encrypted".into(), "x".into()));
    let whole = zipped(&["x"]);
    is_broken(open("a.zip", &whole[..whole.len() - 9]), "");
    is_broken(open("a.zip", b"no archive at all"), "");
    is_broken(open("a.tar.gz", b"no archive at all"), "");
    let cut = tarred(&[file("x")]);
    is_broken(open("a.tar.gz", &cut[..cut.len() / 2]), "");
    is_broken(open("a.tar.gz", &tarred(&[vec![1; 512]])), "");
}
