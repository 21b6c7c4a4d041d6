//! The sign of life on a terminal: there when a run takes long, and nowhere else.
#![cfg(unix)]

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// A terminal: the side of who looks at it, and the side of the program.
fn terminal() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let theirs = OpenOptions::new().read(true).write(true).open(name).unwrap();
    (ours.into(), theirs)
}

/// What is seen on a terminal, and what is printed, when two plugins come with a pause between them.
fn seen(pause: Duration, arguments: &[&str]) -> (String, String) {
    let (mut ours, theirs) = terminal();
    let mut run = Command::new(env!("CARGO_BIN_EXE_plugc"))
        .args(["compile", "--format", "jsonl", "-"])
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(theirs)
        .spawn()
        .unwrap();
    let mut feed = run.stdin.take().unwrap();
    let feeding = thread::spawn(move || {
        for plugin in ["release-notes", "careful-edits"] {
            writeln!(feed, "golden/example/plugins/{plugin}").unwrap();
            thread::sleep(pause);
        }
    });
    let looking = thread::spawn(move || {
        let (mut text, mut buffer) = (Vec::new(), [0; 4096]);
        // A terminal whose last program has gone gives an error.
        while let Ok(read @ 1..) = ours.read(&mut buffer) {
            text.extend_from_slice(&buffer[..read]);
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    let out = run.wait_with_output().unwrap();
    feeding.join().unwrap();
    (looking.join().unwrap(), String::from_utf8(out.stdout).unwrap())
}

#[test]
fn only_who_waits_at_a_terminal_sees_how_far_it_is() {
    let (quick, printed) = seen(Duration::ZERO, &[]);
    assert_eq!((&*quick, printed.lines().count()), ("", 2));
    let (slow, again) = seen(Duration::from_millis(800), &[]);
    assert!(slow.contains("plugins"), "{slow:?}");
    // It goes without a trace, and the report is the same.
    assert!(slow.trim_end().ends_with("\u{1b}[2K") || slow.ends_with("\u{1b}[K"), "{slow:?}");
    assert_eq!(again, printed);
}
