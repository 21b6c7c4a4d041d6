//! The diagnostics that Rust itself raises: with which words, and whether something is lost then.
//!
//! A test holds this list against the sources.

/// A diagnostic that no rule names.
pub struct Raised {
    /// Its code.
    pub code: &'static str,
    /// The words that Rust gives for its page's holes.
    pub words: &'static [&'static str],
    /// Whether its place fares badly.
    pub is_loss: bool,
}

const fn loss(code: &'static str, words: &'static [&'static str]) -> Raised {
    Raised { code, words, is_loss: true }
}

const fn note(code: &'static str, words: &'static [&'static str]) -> Raised {
    Raised { code, words, is_loss: false }
}

/// All of them, sorted.
pub const ALL: &[Raised] = &[
    note("convert/case-collision", &["path", "other"]),
    loss("convert/file-left-out", &["path", "detail"]),
    loss("convert/file-unreadable", &["path", "detail"]),
    loss("convert/link-left-out", &["path"]),
    loss("convert/name-taken", &["name", "other"]),
    loss("convert/steps-conflict", &["detail"]),
    loss("document/denied", &["detail"]),
    loss("document/folder-unreadable", &[]),
    note("document/link-as-text", &["path"]),
    loss("document/misnamed", &["name", "wanted"]),
    loss("document/not-a-file", &["detail"]),
    loss("document/other-counts", &["kind", "name"]),
    note("document/out-of-reach", &["name", "folder", "root"]),
    note("document/reached-twice", &["file"]),
    loss("document/shape-unknown", &["kind"]),
    loss("document/too-large", &["detail"]),
    loss("document/too-many-values", &["limit"]),
    note("document/unknown-key", &["key"]),
    note("encoding/gb18030", &[]),
    note("encoding/invalid", &[]),
    note("encoding/utf-16", &[]),
    loss("front/broken", &["detail", "line"]),
    note("front/duplicate-key", &["key"]),
    note("front/late", &[]),
    note("front/recovered", &["detail", "line", "keys"]),
    loss("front/too-deep", &["limit"]),
    note("front/unterminated", &[]),
    note("json/comments", &[]),
    note("json/duplicate-key", &["key"]),
    loss("json/empty", &[]),
    note("json/lone-surrogate", &[]),
    loss("json/malformed", &["detail", "line", "column"]),
    loss("json/too-deep", &["limit"]),
    note("json/trailing-comma", &[]),
    loss("manifest/ill-typed", &["field", "found", "wanted"]),
    loss("marketplace/conflicting-manifests", &["key", "file"]),
    loss("marketplace/empty", &["path"]),
    note("marketplace/entry-field-ignored", &["field"]),
    note("marketplace/entry-not-inline", &["field"]),
    note("marketplace/hooks-replaced", &["event"]),
    note("marketplace/name-differs", &["inner", "name"]),
    loss("marketplace/not-fetched", &["address"]),
    loss("marketplace/not-found", &["path"]),
    note("marketplace/read-as", &["host"]),
    loss("package/is-a-marketplace", &["path"]),
    note("package/no-manifest", &["source"]),
    loss("package/not-a-plugin", &["files"]),
    note("package/several-manifests", &["chosen", "others"]),
    loss("package/too-many-files", &[]),
    loss("path/bad-wildcard", &["path"]),
    note("path/empty", &["path"]),
    loss("path/is-folder", &["path"]),
    loss("path/is-url", &["path"]),
    loss("path/leaves-root", &["path"]),
    note("path/matches-nothing", &["path"]),
    loss("path/missing", &["path"]),
    note("path/missing-native", &["path"]),
    loss("path/not-json", &["path"]),
    loss("path/unreadable", &["path"]),
    loss("source/address-refused", &["url", "detail"]),
    loss("source/archive-broken", &["detail"]),
    loss("source/archive-encrypted", &["path"]),
    loss("source/archive-too-large", &["detail"]),
    loss("source/archive-unsafe", &["path", "detail"]),
    loss("source/case-collision", &["path", "other"]),
    loss("source/commit-gone", &["url", "ref"]),
    loss("source/digest-differs", &["url", "wanted", "found"]),
    loss("source/folder-missing", &["url", "path", "commit"]),
    loss("source/host-barred", &["url", "host"]),
    loss("source/malformed", &["source", "detail"]),
    loss("source/no-curl", &["detail"]),
    loss("source/no-git", &["detail"]),
    loss("source/not-found", &["path"]),
    loss("source/offline", &["url", "missing"]),
    loss("source/ref-unknown", &["url", "ref"]),
    loss("source/store-unusable", &["path", "detail"]),
    loss("source/submodule", &["path"]),
    loss("source/timeout", &["url", "seconds"]),
    loss("source/unreachable", &["url", "detail"]),
    note("value/coerced", &["field", "wanted"]),
    loss("value/ill-typed", &["field", "wanted"]),
];
