//! A program that is run to its end, or to the end of our patience.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// The most that is kept of what a program says of its troubles, in bytes.
const MOST_TOLD: usize = 64 * 1024;

/// How long a program that has ended may leave its output open, as what it started may have it too.
const GRACE: Duration = Duration::from_secs(2);

/// What a program left behind.
pub(super) struct Ended<W = Vec<u8>> {
    pub(super) status: ExitStatus,
    /// Where that went which it gave.
    pub(super) out: W,
    pub(super) told: String,
}

/// Why there is nothing.
pub(super) enum Unended {
    /// It could not be started.
    Failed(io::Error),
    /// What it gave could not be put where it was to go.
    Unkept(io::Error),
    /// Its time was over. It has been ended, with all that it started.
    Late,
    /// It gave more than was asked for, and has been ended.
    TooMuch,
}

/// Runs a program, gives it `input`, and takes at most `most` bytes from it.
pub(super) fn run(
    command: Command,
    input: Vec<u8>,
    until: Instant,
    most: usize,
) -> Result<Ended, Unended> {
    run_into(Vec::new(), command, input, until, most)
}

/// Runs a program, gives it `input`, and puts at most `most` bytes of its own where it is told.
pub(super) fn run_into<W: Write + Send + 'static>(
    into: W,
    mut command: Command,
    input: Vec<u8>,
    until: Instant,
    most: usize,
) -> Result<Ended<W>, Unended> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Group::spawn(&mut command).map_err(Unended::Failed)?;
    let inner = &mut child.0;
    let stdin = inner.stdin.take();
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let out = Kept::read(inner.stdout.take(), into, most.saturating_add(1), false);
    let told = Kept::read(inner.stderr.take(), Vec::new(), MOST_TOLD, true);
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = inner.try_wait().map_err(Unended::Failed)? {
            break status;
        }
        if out.len() > most {
            return Err(Unended::TooMuch);
        }
        if Instant::now() >= until {
            return Err(Unended::Late);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let ((out, size), (told, _)) = (out.take()?, told.take()?);
    if size > most {
        return Err(Unended::TooMuch);
    }
    Ok(Ended { status, out, told: String::from_utf8_lossy(&told).into_owned() })
}

/// What a thread of its own reads from a program.
struct Kept<W> {
    bytes: Arc<Mutex<Bytes<W>>>,
    ended: Receiver<()>,
}

/// Bytes that were put somewhere.
struct Bytes<W> {
    /// Where; nowhere any more once they were taken, or could not be put there.
    into: io::Result<Option<W>>,
    size: usize,
}

impl<W: Write> Bytes<W> {
    fn add(&mut self, bytes: &[u8]) {
        if let Ok(Some(into)) = &mut self.into {
            match into.write_all(bytes) {
                Ok(()) => self.size += bytes.len(),
                Err(why) => self.into = Err(why),
            }
        }
    }
}

impl<W: Write + Send + 'static> Kept<W> {
    /// Reads at most so much; what is more is thrown away, or left where it is.
    fn read(from: Option<impl Read + Send + 'static>, into: W, most: usize, goes_on: bool) -> Self {
        let bytes = Arc::new(Mutex::new(Bytes { into: Ok(Some(into)), size: 0 }));
        let (sender, ended) = channel();
        let shared = Arc::clone(&bytes);
        thread::spawn(move || {
            let mut buffer = vec![0; 32 * 1024];
            let Some(mut from) = from else { return };
            while let Ok(read) = from.read(&mut buffer) {
                let Ok(mut bytes) = shared.lock() else { return };
                let left = most.saturating_sub(bytes.size).min(read);
                bytes.add(buffer.get(..left).unwrap_or_default());
                let is_full = bytes.size >= most || bytes.into.is_err();
                if read == 0 || is_full && !goes_on {
                    break;
                }
            }
            let _nobody_waits = sender.send(());
        });
        Kept { bytes, ended }
    }

    fn len(&self) -> usize {
        self.bytes.lock().map_or(0, |bytes| bytes.size)
    }

    /// Where the bytes went, and how many they are.
    fn take(self) -> Result<(W, usize), Unended> {
        let _whatever_came = self.ended.recv_timeout(GRACE);
        let lost = || Unended::Unkept(io::Error::other("it is lost"));
        let mut bytes = self.bytes.lock().map_err(|_| lost())?;
        let into = std::mem::replace(&mut bytes.into, Ok(None)).map_err(Unended::Unkept)?;
        Ok((into.ok_or_else(lost)?, bytes.size))
    }
}

/// A program and all that it starts; ended when it is let go.
pub(super) struct Group(pub(super) Child);

impl Group {
    /// Starts a program at the head of a group of its own.
    pub(super) fn spawn(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        command.spawn().map(Group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        end_all(&self.0);
        let _gone = self.0.kill();
        let _status = self.0.wait();
    }
}

#[cfg(unix)]
fn end_all(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let _gone = id.map(|id| kill_process_group(id, Signal::KILL));
}

/// A process that has gone has no group there, so the system's own program is asked.
#[cfg(not(unix))]
fn end_all(child: &Child) {
    let id = child.id().to_string();
    let _gone = Command::new("taskkill")
        .args(["/T", "/F", "/PID", &id])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str, limit: Duration, most: usize) -> Result<Ended, Unended> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, b"input".to_vec(), Instant::now() + limit, most)
    }

    #[test]
    fn a_program_is_run_to_its_end() {
        let ended = sh("cat; echo told >&2; exit 3", GRACE, 99).ok().unwrap();
        assert_eq!(
            (ended.status.code(), &*ended.out, &*ended.told),
            (Some(3), &b"input"[..], "told\n")
        );
    }

    #[test]
    fn a_program_that_hangs_ends_with_all_it_started() {
        let started = Instant::now();
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("mark");
        let script = format!("(sleep 2; touch {}) & sleep 60", mark.display());
        assert!(matches!(sh(&script, Duration::from_millis(200), 99), Err(Unended::Late)));
        assert!(started.elapsed() < Duration::from_secs(10));
        thread::sleep(Duration::from_secs(3));
        assert!(!mark.exists(), "what it started went on");
    }

    #[test]
    fn a_program_that_says_too_much_is_ended() {
        let chatter = "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done";
        assert!(matches!(sh(chatter, Duration::from_secs(20), 1000), Err(Unended::TooMuch)));
    }

    #[test]
    fn what_cannot_be_put_anywhere_is_told() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut command = Command::new("sh");
        command.args(["-c", "while echo x; do :; done"]);
        let ended = run_into(Full, command, Vec::new(), Instant::now() + 10 * GRACE, 99);
        assert!(matches!(ended, Err(Unended::Unkept(_))));
    }
}
