//! What a person or a marketplace names to be read, such as `git:github.com/owner/repo`.

use super::{Pair, Rule, SyntaxFault, fault, parse, tree::next};
use crate::ir::path::RelPath;
use crate::ir::source::address::UrlFault;
use crate::ir::source::{At, Git, Repository, Revision, Source, Url, redacted};

/// What archives are called.
const ARCHIVES: &[&str] = &[".zip", ".tar.gz", ".tgz"];

/// Reads a source that is not there on disk under that very name.
///
/// The place of a fault is one in the text with its credentials `redacted`, as only that one is ever shown.
pub fn source(text: &str) -> Result<Source, SyntaxFault> {
    refuse_credentials(text)?;
    refuse_transport(text)?;
    let form = form(&parse(Rule::whole_source, text)?)?;
    if let Source::Git(git) = &form {
        refuse_archive(text, git)?;
    }
    Ok(form)
}

/// Reads `owner/repo`, perhaps with `@` or `#` and a branch, tag or commit; `base` is the address it stands behind.
pub fn shorthand(text: &str, base: &str) -> Result<Git, SyntaxFault> {
    let pair = parse(Rule::whole_shorthand, text)?;
    let at = find(&pair, Rule::reference).map_or(Ok(At::Head), |name| revision(&name))?;
    Ok(Git { repository: owned(&pair, base)?, at, path: RelPath::root() })
}

/// The source that one of the forms says.
fn form(source: &Pair<'_>) -> Result<Source, SyntaxFault> {
    let mut parts = source.clone().into_inner().filter(|pair| is_form(pair.as_rule()));
    let form = next(&mut parts, source.get_input())?;
    let repository = match form.as_rule() {
        Rule::hosted => {
            let service = find(&form, Rule::service).ok_or_else(|| misread(&form))?;
            owned(&form, &format!("https://{}", service.as_str().to_ascii_lowercase()))?
        }
        Rule::local => {
            let path = find(&form, Rule::local_path).ok_or_else(|| misread(&form))?;
            if find(&form, Rule::fragment).is_none() {
                return Ok(Source::Local(path.as_str().to_owned()));
            }
            Repository::Local(path.as_str().to_owned())
        }
        _ => {
            let is_address =
                |pair: &Pair<'_>| matches!(pair.as_rule(), Rule::address | Rule::short_address);
            let address = form.clone().into_inner().find(is_address);
            url(&address.ok_or_else(|| misread(&form))?)?
        }
    };
    let (at, path) = place(&form)?;
    Ok(Source::Git(Git { repository, at, path }))
}

fn is_form(rule: Rule) -> bool {
    matches!(rule, Rule::hosted | Rule::remote | Rule::short | Rule::local)
}

/// Which state of the repository, and which folder in it.
fn place(form: &Pair<'_>) -> Result<(At, RelPath), SyntaxFault> {
    if let Some(tree) = find(form, Rule::tree) {
        let parts = tree.into_inner().filter(|pair| pair.as_rule() == Rule::part);
        let parts = parts.map(|part| decoded(&part)).collect::<Result<Vec<_>, _>>()?;
        return Ok((At::Unparted(parts), RelPath::root()));
    }
    let Some(fragment) = find(form, Rule::fragment) else { return Ok((At::Head, RelPath::root())) };
    let at = find(&fragment, Rule::reference).map_or(Ok(At::Head), |name| revision(&name))?;
    let folder = find(&fragment, Rule::folder).and_then(|folder| find(&folder, Rule::folder_path));
    let path = folder.map_or(Ok(RelPath::root()), |folder| {
        RelPath::parse(folder.as_str()).map_err(|why| at_pair(&folder, format!("this path {why}")))
    });
    Ok((at, path?))
}

/// A repository by its owner and its name, behind the address of a service.
fn owned(pair: &Pair<'_>, base: &str) -> Result<Repository, SyntaxFault> {
    let owner = find(pair, Rule::owner).ok_or_else(|| misread(pair))?;
    let repository = find(pair, Rule::repository).ok_or_else(|| misread(pair))?;
    let name = repository.as_str();
    let name = name.strip_suffix(".git").filter(|name| !name.is_empty()).unwrap_or(name);
    let address = format!("{}/{}/{name}", base.trim_end_matches('/'), owner.as_str());
    let url = Url::parse(&address).map_err(|why| at_pair(pair, format!("this {why}")))?;
    Ok(Repository::Remote(url))
}

fn url(address: &Pair<'_>) -> Result<Repository, SyntaxFault> {
    let url =
        Url::parse(address.as_str()).map_err(|why| at_pair(address, format!("this {why}")))?;
    Ok(Repository::Remote(url))
}

fn revision(name: &Pair<'_>) -> Result<At, SyntaxFault> {
    let revision = Revision::parse(name.as_str());
    revision.map(At::Named).map_err(|why| at_pair(name, format!("this name {why}")))
}

/// A part of a path without its percent signs; what it hides must still be one part.
fn decoded(part: &Pair<'_>) -> Result<String, SyntaxFault> {
    let wrong = |why: &str| Err(at_pair(part, why));
    let mut bytes = Vec::new();
    let mut rest = part.as_str().bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next().unwrap_or(b' '), rest.next().unwrap_or(b' ')];
        let digits = std::str::from_utf8(&digits).ok().filter(|text| !text.contains('+'));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => bytes.push(byte),
            None => return wrong("two hexadecimal digits belong behind a `%`"),
        }
    }
    match String::from_utf8(bytes) {
        Ok(text) if text.contains(|c: char| c == '/' || c == '\\' || c.is_control()) => {
            wrong("this hides what no part of a path holds")
        }
        Ok(text) if text == "." || text == ".." => wrong("this hides a step out of the folder"),
        Ok(text) if text.starts_with('-') => wrong("this begins with `-`, as options do"),
        Ok(text) => Ok(text),
        Err(_) => wrong("this is no UTF-8"),
    }
}

fn refuse_credentials(text: &str) -> Result<(), SyntaxFault> {
    let shown = redacted(text);
    if shown == text {
        return Ok(());
    }
    // What is shown differs first where its stars stand.
    let same = text.bytes().zip(shown.bytes()).take_while(|(a, b)| a == b).count();
    let at = shown.get(..same).map_or(0, str::len);
    Err(fault(
        &shown,
        at,
        "credentials have no place here; let git keep them in its credential helper",
    ))
}

/// git would start a program for a transport that it does not know.
fn refuse_transport(text: &str) -> Result<(), SyntaxFault> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let is_known = Url::parse(&format!("{word}://host/path")) != Err(UrlFault::Scheme);
    let is_used = rest.starts_with("://") && is_known;
    // The web's names may be written in capitals; the grammar says where.
    let is_web = rest.starts_with("://") && word.to_ascii_lowercase().starts_with("http");
    if word.is_empty() || is_used || is_web || !(rest.starts_with("://") || rest.starts_with("::"))
    {
        return Ok(());
    }
    Err(fault(text, 0, format!("`{word}` {}", UrlFault::Scheme)))
}

/// An archive somewhere else is no repository, and git would only say that it found none.
fn refuse_archive(text: &str, git: &Git) -> Result<(), SyntaxFault> {
    let Repository::Remote(url) = &git.repository else { return Ok(()) };
    let is_archive = |end: &&&str| url.as_str().ends_with(**end);
    let Some(end) = ARCHIVES.iter().find(is_archive) else { return Ok(()) };
    let at = text.rfind(end).unwrap_or(0);
    Err(fault(text, at, "an archive is read from disk; download it first"))
}

/// The first piece of that kind right inside another.
fn find<'t>(pair: &Pair<'t>, rule: Rule) -> Option<Pair<'t>> {
    pair.clone().into_inner().find(|inner| inner.as_rule() == rule)
}

fn at_pair(pair: &Pair<'_>, message: impl Into<String>) -> SyntaxFault {
    fault(pair.get_input(), pair.as_span().start(), message)
}

/// A piece that the grammar does not promise here.
fn misread(pair: &Pair<'_>) -> SyntaxFault {
    at_pair(pair, "not understood")
}
