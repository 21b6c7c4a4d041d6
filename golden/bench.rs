//! How long things take: `cargo bench`. The corpus ratio is printed by `.ci/speed`.
#![expect(clippy::unwrap_used, reason = "a benchmark stops where it cannot go on")]
#![expect(clippy::disallowed_methods, reason = "it lists the cases")]

use std::path::{Path, PathBuf};

use plugc::io::folder::Folder;
use plugc::ir::route::{Form, HostName, Platform};
use plugc::ir::snapshot::Snapshot;
use plugc::report::told::tell;
use plugc::survey::{Wish, survey};

fn main() {
    divan::main();
}

fn wish() -> Wish {
    let to = HostName::parse("reasonix");
    Wish { from: None, to, form: Form::Normalised, platform: Platform::Posix, entry: None }
}

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/compile");
    let sources = root.read_dir().unwrap().flatten();
    sources
        .flat_map(|source| source.path().read_dir().unwrap().flatten().collect::<Vec<_>>())
        .map(|case| case.path().join("plugin"))
        .collect()
}

/// What a route needs of the rules, and the pages that reports print.
#[divan::bench]
fn rulebook() -> bool {
    let rulebook = plugc::builtin::rulebook();
    rulebook.source(&HostName::parse("claude")).is_some()
        && rulebook.target(&HostName::parse("reasonix")).is_some()
        && rulebook.codes().next().is_some()
}

/// Every case of the goldens, from disk to report.
#[divan::bench]
fn every_case(bencher: divan::Bencher<'_, '_>) {
    let (rulebook, cases) = (plugc::builtin::rulebook(), cases());
    bencher.bench(|| {
        for case in &cases {
            let snapshot = Snapshot::new(Box::new(Folder::open(case).unwrap()));
            divan::black_box(tell(survey(snapshot, &rulebook, &wish()), &rulebook, "x", false));
        }
    });
}
