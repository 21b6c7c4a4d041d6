//! The numbers of all plugins together: verdicts, kinds of loss, and what is lost most.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::escape::escape;
use super::listing::AS_IT_STANDS;
use super::row::{LOSSES, Listed, Row};
use crate::ir::fate::Verdict;

/// How many codes are shown at once.
const MOST_CODES: usize = 15;

/// The score card: how many of each verdict, how many losses of each kind.
pub(super) fn card(rows: &[&Row]) -> String {
    let mut out = String::from("<ul class=\"card\">\n");
    tell(&mut out, "all", rows.len(), if rows.len() == 1 { "plugin" } else { "plugins" });
    for (verdict, word) in [
        (Verdict::Full, "nothing is lost"),
        (Verdict::Partial, "something is lost"),
        (Verdict::None, "nothing arrives"),
    ] {
        let count = rows.iter().filter(|row| row.verdict == verdict).count();
        tell(&mut out, verdict.word(), count, &format!("{}: {word}", verdict.word()));
    }
    stand(&mut out, rows);
    out.push_str("</ul>\n<ul class=\"card\">\n");
    let sums = rows.iter().fold([0; 3], |mut sums, row| {
        for (sum, count) in sums.iter_mut().zip(row.losses) {
            *sum += count;
        }
        sums
    });
    for (loss, count) in LOSSES.into_iter().zip(sums) {
        let what = if count == 1 { "loss" } else { "losses" };
        tell(&mut out, loss.word(), count, &format!("{} {what}", loss.word()));
    }
    out.push_str("</ul>\n");
    out
}

fn tell(out: &mut String, class: &str, count: usize, words: &str) {
    let _ = writeln!(out, "<li class=\"{class}\"><strong>{count}</strong> {words}</li>");
}

/// How many the target installs from their marketplace as it stands. Those that it does not are one search away.
fn stand(out: &mut String, rows: &[&Row]) {
    let all = rows.iter().filter_map(|row| row.listed.as_ref());
    let (yes, no): (Vec<&Listed>, Vec<&Listed>) = all.partition(|one| one.installs);
    if yes.is_empty() && no.is_empty() {
        return;
    }
    tell(out, "full", yes.len(), "installed from the marketplace as it stands");
    if !no.is_empty() {
        let words = escape(&format!("\"{AS_IT_STANDS}no\""));
        let button = format!(
            "<button type=\"button\" class=\"find\" data-words=\"{words}\" disabled>not installed as it stands</button>"
        );
        tell(out, "none", no.len(), &button);
    }
}

#[derive(Clone, Copy, Default)]
struct Lost {
    times: usize,
    plugins: usize,
}

/// What is lost most, as bars. A bar is a picture whose width is an attribute, as the policy allows no style in
/// the markup.
pub(super) fn chart(rows: &[&Row]) -> String {
    let mut by_code: BTreeMap<(&str, &str), Lost> = BTreeMap::new();
    for ((code, kind), times) in rows.iter().flat_map(|row| &row.lost) {
        let lost = by_code.entry((code, kind)).or_default();
        lost.times += times;
        lost.plugins += 1;
    }
    let mut all: Vec<((&str, &str), Lost)> = by_code.into_iter().collect();
    all.sort_by_key(|(key, lost)| (std::cmp::Reverse(lost.times), *key));
    let most = all.first().map_or(1, |(_, lost)| lost.times);
    let (shown, rest) = all.split_at(all.len().min(MOST_CODES));
    if shown.is_empty() {
        return "<p>Nothing is lost.</p>\n".to_owned();
    }
    let mut out = bars(shown, most);
    if !rest.is_empty() {
        let _ = writeln!(
            out,
            "<details class=\"more\"><summary>{} more</summary>\n{}</details>",
            rest.len(),
            bars(rest, most)
        );
    }
    out
}

fn bars(codes: &[((&str, &str), Lost)], most: usize) -> String {
    let mut out = String::from(
        "<table class=\"chart\"><thead><tr><th scope=\"col\">code</th><th scope=\"col\">loss</th>\
         <th scope=\"col\">times</th><th scope=\"col\">plugins</th></tr></thead>\n<tbody>\n",
    );
    for ((code, kind), Lost { times, plugins }) in codes {
        // In thousandths, so that no fraction is rounded in two ways.
        let width = times * 1000 / most;
        let code = escape(code);
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\"><button type=\"button\" class=\"find\" disabled>{code}</button>\
             <svg class=\"bar {kind}\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" \
             aria-hidden=\"true\"><rect width=\"{width}\" height=\"10\"/></svg></th>\
             <td><span class=\"loss {kind}\">{kind}</span></td>\
             <td class=\"number\">{times}</td><td class=\"number\">{plugins}</td></tr>",
        );
    }
    out.push_str("</tbody></table>\n");
    out
}
