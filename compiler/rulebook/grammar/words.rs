//! What the rules of the grammars are called in messages.

use super::Rule;

/// "expected a name, `(` or the end", each thing once.
pub(super) fn expected(rules: &[Rule]) -> String {
    let mut all: Vec<&str> = Vec::new();
    // Pest sorts them as the grammars do, the end first and the loose before the tight.
    for word in rules.iter().rev().map(|rule| word(*rule)) {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    match all.split_last() {
        None => "not understood from here on".to_owned(),
        Some((last, [])) => format!("expected {last}"),
        Some((last, rest)) => format!("expected {} or {last}", rest.join(", ")),
    }
}

/// The words for one rule.
fn word(rule: Rule) -> &'static str {
    match rule {
        Rule::EOI | Rule::part_end => "the end",
        Rule::WHITESPACE | Rule::blank => "a blank",
        _ => mark(rule).unwrap_or_else(|| thing(rule)),
    }
}

/// The words for a rule that is always written the same way.
fn mark(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::or_word => "`or`",
        Rule::and_word => "`and`",
        Rule::not_word => "`not`",
        Rule::in_word => "`in`",
        Rule::is_word => "`is`",
        Rule::true_word => "`true`",
        Rule::false_word => "`false`",
        Rule::equal => "`==`",
        Rule::unequal => "`!=`",
        Rule::at_most => "`<=`",
        Rule::at_least => "`>=`",
        Rule::less => "`<`",
        Rule::greater => "`>`",
        Rule::comma => "`,`",
        Rule::dot => "`.`",
        Rule::list_start => "`[`",
        Rule::list_end => "`]`",
        Rule::group_start => "`(`",
        Rule::group_end => "`)`",
        Rule::each_start => "`{`",
        Rule::each_end | Rule::hole_end => "`}`",
        Rule::element_start => "`[{`",
        Rule::element_end => "`}]`",
        Rule::hole_start => "`${`",
        Rule::dollar => "`$$`",
        Rule::double_quote => "`\"`",
        Rule::single_quote | Rule::quote => "`'`",
        Rule::git_prefix => "`git:`",
        Rule::web_scheme => "`https://`",
        Rule::file_scheme => "`file://`",
        Rule::scheme => "`ssh://`",
        Rule::service => "`github.com`",
        Rule::tree_word => "`/tree/`",
        Rule::slash | Rule::last_slash => "`/`",
        Rule::at_sign => "`@`",
        Rule::hash | Rule::fragment => "`#`",
        Rule::port_mark | Rule::folder_mark | Rule::folder => "`:`",
        _ => return None,
    })
}

/// The words for a rule that is written in many ways.
fn thing(rule: Rule) -> &'static str {
    match rule {
        Rule::comparator => "a comparison such as `==`",
        Rule::value => "a value (a name, call, text, number, list or `(`)",
        Rule::escaped => "`'` or `\\` behind the `\\`",
        Rule::text_end | Rule::plain | Rule::escape => "`'` at the end of the text",
        Rule::text => "a text",
        Rule::number => "a number",
        Rule::call | Rule::function => "a call",
        Rule::list => "a list",
        Rule::group => "a `(`",
        Rule::path | Rule::name | Rule::key | Rule::name_char | Rule::keyword => "a name",
        Rule::shape => "a shape such as `exec`",
        Rule::step => "a name or a text in quotes",
        Rule::member => "a name, a text in quotes or `{`",
        Rule::each => "`{`",
        Rule::element => "`[{`",
        Rule::hole => "a hole",
        Rule::separator => "`,`",
        Rule::whole_tools | Rule::tools | Rule::tool | Rule::tool_name => "the name of a tool",
        // Anything may stand in a specifier, so what is missed there is its end.
        Rule::specifier | Rule::specifier_text | Rule::nested => "`)`",
        Rule::whole_selector | Rule::selector => "a name, a text in quotes, `{` or `[{`",
        Rule::whole_template | Rule::template | Rule::template_text => "text",
        _ => named(rule).unwrap_or("an expression"),
    }
}

/// The words for what stands in the name of a source.
fn named(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::owner | Rule::whole_shorthand | Rule::shorthand => "an owner",
        Rule::repository => "the name of a repository",
        Rule::tree => "`/tree/`",
        Rule::part => "a part of a path",
        Rule::user => "a user",
        Rule::host => "a host",
        Rule::port => "a port",
        Rule::place | Rule::short_place => "the path of a repository",
        Rule::reference => "a branch, tag or commit",
        Rule::folder_path => "a path",
        Rule::local | Rule::local_path => "a path on disk",
        Rule::hosted => "`github.com`",
        Rule::remote | Rule::address | Rule::short | Rule::short_address => "an address",
        Rule::whole_source | Rule::source => "a source",
        _ => return None,
    })
}
