//! Patterns in three dialects.

use super::*;
use crate::iregexp::parse;

fn dialects(pattern: &str) -> String {
    match parse(pattern) {
        Err(fault) => format!("{fault:?}"),
        Ok(node) => format!(
            "{} | {} | {}",
            ecma(&node),
            xsd(&node),
            gbnf(&node).unwrap_or_else(|| "-".to_owned())
        ),
    }
}

#[test]
fn each_dialect_says_the_same() {
    let table: Vec<String> = [
        "[A-Z]{3}",
        "a.b",
        "a|b*|",
        r"\^$x\-y",
        r"[^\-a\]\\]+",
        "[-x][x-]",
        r"\p{Lu}[\P{L}0-9]",
        r#"["\\\n]"#,
        "(ab){2,}",
        "[&-(]",
    ]
    .iter()
    .map(|pattern| format!("{pattern} => {}", dialects(pattern)))
    .collect();
    insta::assert_snapshot!(table.join("\n"), @r#"
    [A-Z]{3} => ^(?:[A-Z]{3})$ | [A-Z]{3} | [A-Z]{3}
    a.b => ^(?:a[^\n\r]b)$ | a[^\n\r]b | ("a" ([\x20-\x21\x23-\x5B\x5D-\uD7FF\uE000-\U0010FFFF] | "\\b" | "\\t" | "\\f" | "\\\"" | "\\\\") "b")
    a|b*| => ^(?:a|b*|)$ | a|b*| | ("a" | "b"* | "")
    \^$x\-y => ^(?:\^\$x-y)$ | ^$x-y | "^$x-y"
    [^\-a\]\\]+ => ^(?:[^\-a\]\\]+)$ | [^\-a\]\\]+ | ([\x20-\x21\x23-\x2C\x2E-\x5B\x5E-\x60b-\uD7FF\uE000-\U0010FFFF] | "\\b" | "\\t" | "\\n" | "\\f" | "\\r" | "\\\"")+
    [-x][x-] => ^(?:[\-x][x\-])$ | [\-x][x\-] | ([\x2Dx] [\x2Dx])
    \p{Lu}[\P{L}0-9] => ^(?:\p{Lu}[\P{L}0-9])$ | \p{Lu}[\P{L}0-9] | -
    ["\\\n] => ^(?:["\\\n])$ | ["\\\n] | ("\\n" | "\\\"" | "\\\\")
    (ab){2,} => ^(?:(?:ab){2,})$ | (ab){2,} | "ab"{2,}
    [&-(] => ^(?:[&-\(])$ | [&-(] | [\x26-\x28]
    "#);
}

#[test]
fn control_characters_never_reach_yang_text() {
    let node = parse("[\u{0}-z]\u{1}[\u{1}-\u{2}]").unwrap();
    insta::assert_snapshot!(xsd(&node), @r"[\t\n\r -z][^\s\S][^\s\S]");
}
