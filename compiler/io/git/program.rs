//! The `git` program, with everything off that could start another program, ask somebody, or write where it should not.
//!
//! The user's own settings stay: credentials, proxies, mirrors by `insteadOf`.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::super::process::{Ended, Unended, run};
use crate::ir::source::{Fault, Url};

/// The most bytes of any answer but that of a fetch: a listing of about a million files.
const MOST: usize = 256 * 1024 * 1024;

/// Settings that hold for every run.
const SETTINGS: &[&str] = &[
    // Nothing is run but git itself.
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "init.templateDir=",
    // The store is bare, and is named, not found.
    "safe.bareRepository=all",
    // Nobody is asked.
    "credential.interactive=false",
    "core.askPass=",
    // Only what was asked for is fetched, and stays as it came.
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "transfer.bundleURI=false",
    "transfer.unpackLimit=1",
    "fetch.unpackLimit=1",
    "fetch.writeCommitGraph=false",
    "gc.auto=0",
    "maintenance.auto=false",
];

/// What the environment may not say: where the repository is, and what to write beside the answer.
const UNSET: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_TEMPLATE_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_TRACE",
    "GIT_TRACE_CURL",
    "GIT_TRACE_PACKET",
    "GIT_TRACE_PACKFILE",
    "GIT_CURL_VERBOSE",
    "GIT_REDIRECT_STDERR",
];

/// What the environment says instead.
const SET: &[(&str, &str)] = &[
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GCM_INTERACTIVE", "never"),
    ("GIT_LFS_SKIP_SMUDGE", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    // What is missing is fetched by us, many at once.
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    // Its words are looked at.
    ("LC_ALL", "C"),
    ("LANGUAGE", ""),
];

/// The transports that a fetch may use; `ext` and others that start programs are not among them.
const TRANSPORTS: &str = "https:http:ssh:git:file";

/// git, to be run in a folder. It talks to nobody.
pub(super) fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    for name in UNSET {
        command.env_remove(name);
    }
    command.envs(SET.iter().copied());
    // No repository around the folder is taken for the one that is meant.
    if let Some(above) = folder.parent() {
        command.env("GIT_CEILING_DIRECTORIES", above);
    }
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command.arg("-C").arg(folder);
    command
}

/// git, to be run in a folder and to talk to a repository.
pub(super) fn talking(folder: &Path, url: &Url, until: Instant, limit: Duration) -> Command {
    let mut command = git(folder);
    command.env("GIT_ALLOW_PROTOCOL", TRANSPORTS);
    // Should we be killed before we can end it, it ends by itself.
    command.args(["-c", "http.lowSpeedLimit=1", "-c"]);
    command.arg(format!("http.lowSpeedTime={}", limit.as_secs()));
    quiet_ssh(&mut command, url, folder, until);
    command
}

/// An ssh that asks nobody, unless the user has one of their own.
fn quiet_ssh(command: &mut Command, url: &Url, folder: &Path, until: Instant) {
    let is_own = |name: &str| std::env::var_os(name).is_some();
    if !url.is_ssh() || is_own("GIT_SSH_COMMAND") || is_own("GIT_SSH") {
        return;
    }
    let mut ask = git(folder);
    ask.args(["config", "--get", "core.sshCommand"]);
    if !answer(ask, Vec::new(), until).is_ok_and(|ended| ended.status.success()) {
        command.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes");
    }
}

/// Runs git, whatever its status.
pub(super) fn answer(command: Command, input: Vec<u8>, until: Instant) -> Result<Ended, Unended> {
    run(command, input, until, MOST)
}

/// A first line that says what went wrong, for people.
pub(super) fn gist(told: &str) -> String {
    let lines = || told.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_gist = |line: &&str| line.starts_with("fatal:") || line.starts_with("remote:");
    let line =
        lines().find(is_gist).or_else(|| lines().next_back()).unwrap_or("it did not say why");
    line.trim_start_matches("fatal:").trim().to_owned()
}

/// What it means that git gave no answer.
pub(super) fn unended(why: Unended, place: &dyn std::fmt::Display, limit: Duration) -> Fault {
    match why {
        Unended::Failed(error) | Unended::Unkept(error) => {
            Fault::absent("source/no-git").with("detail", error)
        }
        Unended::Late => {
            Fault::absent("source/timeout").with("url", place).with("seconds", limit.as_secs())
        }
        Unended::TooMuch => Fault::absent("source/unreachable")
            .with("url", place)
            .with("detail", "the repository is too large to be listed"),
    }
}
