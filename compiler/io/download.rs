//! A download by the `curl` program, so that the user's proxies and certificates work.
//!
//! It goes over `https` only, and one step at a time: where a server leads on to is looked at before anybody goes there.

use std::fs::File;
use std::process::Command;
use std::time::{Duration, Instant};

use super::archive::{MOST_PACKED, overlong};
use super::process::{Ended, Unended, run_into};
use super::source::{Fetch, unusable};
use crate::ir::source::Fault;
use crate::ir::source::web::Web;

/// How often a server may lead on.
const STEPS: usize = 5;

/// What the user's own settings do not change; the rest of them stays: proxies, certificates.
const OPTIONS: &[&str] = &[
    "--silent",
    "--no-verbose",
    "--show-error",
    "--fail",
    // The address is one, and means what it says.
    "--globoff",
    "--proto",
    "=https",
    "--proto-redir",
    "=https",
    "--no-location",
    "--max-redirs",
    "0",
    // The answer is the archive and nothing else.
    "--no-include",
    "--output",
    "-",
    "--write-out",
    "%{stderr}\nplugc: %{http_code} %{redirect_url}\n",
];

/// What our own line begins with among those that curl says.
const MARK: &str = "plugc: ";

/// How curl ends that had no more time.
const LATE: i32 = 28;

/// How curl ends if the answer says that it is longer than asked for.
const TOO_LONG: i32 = 63;

/// The archive, in a file without a name that goes with the process.
pub(super) fn download(from: &Web, how: &Fetch) -> Result<File, Fault> {
    let until = Instant::now() + how.limit;
    let mut at = from.clone();
    for _ in 0..=STEPS {
        let ended = asked(&at, from, until, how)?;
        let (status, next) = answered(&ended.told);
        match status {
            "200" => return Ok(ended.out),
            _ if next.is_empty() => {
                return Err(unreachable(from, &format!("the server answered {status}")));
            }
            _ => at = Web::reached(next)?,
        }
    }
    Err(unreachable(from, &format!("servers lead on more than {STEPS} times")))
}

/// What comes of asking one server.
fn asked(at: &Web, from: &Web, until: Instant, how: &Fetch) -> Result<Ended<File>, Fault> {
    let place = std::env::temp_dir();
    let into = tempfile::tempfile().map_err(|why| unusable(&place, &why))?;
    let most = usize::try_from(MOST_PACKED).unwrap_or(usize::MAX);
    let late = || {
        let late = Fault::absent("source/timeout").with("url", from);
        late.with("seconds", how.limit.as_secs())
    };
    let ended = run_into(into, curl(at, until), Vec::new(), until, most);
    let ended = ended.map_err(|why| match why {
        Unended::Failed(why) => Fault::absent("source/no-curl").with("detail", why),
        Unended::Unkept(why) => unusable(&place, &why),
        Unended::Late => late(),
        Unended::TooMuch => overlong(),
    })?;
    match ended.status.code() {
        Some(0) => Ok(ended),
        Some(LATE) => Err(late()),
        Some(TOO_LONG) => Err(overlong()),
        _ => Err(unreachable(from, gist(&ended.told))),
    }
}

/// curl, to ask one server.
fn curl(at: &Web, until: Instant) -> Command {
    let mut command = Command::new("curl");
    // Its words are looked at.
    command.env("LC_ALL", "C").args(OPTIONS);
    command.arg("--max-filesize").arg(MOST_PACKED.to_string());
    // Should we be killed before we can end it, it ends by itself.
    let left = until.saturating_duration_since(Instant::now()) + Duration::from_secs(1);
    command.arg("--max-time").arg(left.as_secs().to_string());
    command.arg("--").arg(at.as_str());
    command
}

/// The status of the answer, and where it leads on to.
fn answered(told: &str) -> (&str, &str) {
    let ours = told.lines().rev().find_map(|line| line.strip_prefix(MARK)).unwrap_or_default();
    let (status, next) = ours.split_once(' ').unwrap_or((ours, ""));
    (if status.is_empty() { "nothing" } else { status }, next.trim())
}

/// What went wrong, for people: `curl: (6) Could not resolve host: plugins.example`.
fn gist(told: &str) -> &str {
    let line = told.lines().find_map(|line| line.strip_prefix("curl: ")).unwrap_or_default();
    let line = line.split_once(") ").filter(|_| line.starts_with('(')).map_or(line, |(_, why)| why);
    if line.is_empty() { "curl did not say why" } else { line }
}

fn unreachable(from: &Web, why: &str) -> Fault {
    Fault::absent("source/unreachable").with("url", from).with("detail", why)
}
