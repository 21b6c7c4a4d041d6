//! How far a run is, for whoever waits at a terminal: on standard error, and only if it takes more than a second.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What takes less than this is over before anybody wonders.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often it is drawn anew, so that a slow plugin does not look like a dead program.
const BEAT: Duration = Duration::from_millis(200);

/// A bar that comes when it is needed and goes when it is let go.
pub(super) struct Progress {
    bar: ProgressBar,
    /// As long as this is kept, there is something to wait for.
    _alive: Sender<()>,
}

impl Progress {
    /// A bar for so many plugins, or for some. `apart` says that nothing is printed meanwhile, or not on a terminal.
    pub(super) fn plugins(total: Option<usize>, apart: bool) -> Self {
        let total = total.and_then(|total| u64::try_from(total).ok());
        let form = if total.is_some() {
            "{bar:30} {pos} of {len} plugins, {eta} left"
        } else {
            "{spinner} {pos} plugins"
        };
        Progress::new(total, form, apart || !std::io::stdout().is_terminal())
    }

    /// A sign of life while something is fetched or opened.
    pub(super) fn opening(count: usize) -> Self {
        let what = if count == 1 {
            "{spinner} reading the source"
        } else {
            "{spinner} reading the sources"
        };
        Progress::new(None, what, true)
    }

    fn new(total: Option<u64>, form: &str, wanted: bool) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(form) {
            bar.set_style(style);
        }
        let (alive, gone) = channel();
        if wanted && std::io::stderr().is_terminal() {
            let late = bar.clone();
            thread::spawn(move || {
                if gone.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    late.set_draw_target(ProgressDrawTarget::stderr());
                    late.enable_steady_tick(BEAT);
                }
            });
        }
        Progress { bar, _alive: alive }
    }

    /// One more is done.
    pub(super) fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
