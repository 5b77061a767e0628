//! Expensive XPath expressions: every axis, nested predicates, unions, the functions of XPath 1.0
//! and of YANG, nesting and length up to the limits.
//!
//! Most select something that a guest may read; some are invalid. Knows nothing of their
//! evaluation. Read next: `netconf::xpath`.

use super::escaped;
use crate::dice::Dice;
use std::fmt::Write as _;

/// Prefixes, their namespaces, and names in them: some readable by a guest, some not.
pub(super) const MODULES: [(&str, &str, &[&str]); 5] = [
    (
        "m",
        "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring",
        &[
            "netconf-state",
            "capabilities",
            "capability",
            "schemas",
            "schema",
            "identifier",
            "version",
            "format",
            "location",
            "datastores",
            "datastore",
            "sessions",
        ],
    ),
    (
        "y",
        "urn:ietf:params:xml:ns:yang:ietf-yang-library",
        &[
            "yang-library",
            "module-set",
            "module",
            "import-only-module",
            "name",
            "revision",
            "namespace",
            "location",
            "submodule",
            "feature",
            "deviation",
            "schema",
            "datastore",
            "content-id",
        ],
    ),
    (
        "n",
        "urn:ietf:params:xml:ns:netmod:notification",
        &[
            "netconf",
            "streams",
            "stream",
            "name",
            "description",
            "replaySupport",
        ],
    ),
    (
        "r",
        "urn:convoke:params:xml:ns:yang:convoke-registry",
        &["registry", "agent", "task", "name", "skill", "task-id"],
    ),
    (
        "a",
        "urn:ietf:params:xml:ns:yang:irtf-agent",
        &["agent", "condition-notifications", "task-id", "task-status"],
    ),
];

const AXES: [&str; 13] = [
    "child",
    "descendant",
    "descendant-or-self",
    "parent",
    "ancestor",
    "ancestor-or-self",
    "following-sibling",
    "preceding-sibling",
    "following",
    "preceding",
    "self",
    "attribute",
    // Not offered.
    "namespace",
];

const COMPARISONS: [&str; 6] = ["=", "!=", "<", "<=", ">", ">="];
const SUMS: [&str; 5] = ["+", "-", "*", "div", "mod"];
/// Patterns that are expensive for backtracking engines.
const PATTERNS: [&str; 5] = [
    "(a+)+b",
    "([a-z]*)*",
    "(x|xx)*y",
    "[a-z0-9]{1,200}",
    "\\p{L}+",
];

/// An expression as the attributes of an element, with declarations of its prefixes.
pub fn attributes(dice: &mut Dice) -> String {
    let mut declared = String::new();
    for (prefix, namespace, _) in MODULES {
        // One in a hundred is not bound.
        if !dice.once_in(100) {
            let _ = write!(declared, " xmlns:{prefix}=\"{namespace}\"");
        }
    }
    format!("{declared} select=\"{}\"", escaped(&expression(dice)))
}

/// An expression.
pub fn expression(dice: &mut Dice) -> String {
    match dice.below(20) {
        5 => costly(dice),
        0 => deep(dice),
        1 => wide(dice),
        2 => long(dice),
        3 => value(dice, 3),
        4 => broken(dice),
        _ => nodes(dice, 3),
    }
}

/// A node-set: one path, or a union.
fn nodes(dice: &mut Dice, levels: usize) -> String {
    let paths = if dice.once_in(5) { dice.size(6) } else { 1 };
    let paths: Vec<String> = (0..paths).map(|_| path(dice, levels)).collect();
    paths.join(" | ")
}

fn path(dice: &mut Dice, levels: usize) -> String {
    let mut path = dice
        .one(&["/", "//", "", "", ".//", "../", "/"])
        .to_string();
    let steps = 1 + dice.below(4);
    for number in 0..steps {
        if number > 0 {
            path.push_str(if dice.once_in(4) { "//" } else { "/" });
        }
        path.push_str(&step(dice, levels));
    }
    path
}

fn step(dice: &mut Dice, levels: usize) -> String {
    let mut step = match dice.below(5) {
        0 => return dice.one(&[".", ".."]).to_string(),
        1 => format!("{}::", dice.one(&AXES)),
        _ => String::new(),
    };
    step.push_str(&test(dice));
    let predicates = if levels == 0 { 0 } else { dice.below(3) };
    for _ in 0..predicates {
        let _ = write!(step, "[{}]", predicate(dice, levels - 1));
    }
    step
}

fn test(dice: &mut Dice) -> String {
    match dice.below(6) {
        0 => dice.one(&["node()", "text()", "comment()"]).to_string(),
        1 | 2 => "*".to_owned(),
        _ => {
            let (prefix, _, names) = dice.one(&MODULES);
            match dice.once_in(6) {
                true => format!("{prefix}:*"),
                false => format!("{prefix}:{}", dice.one(names)),
            }
        }
    }
}

fn predicate(dice: &mut Dice, levels: usize) -> String {
    match dice.below(6) {
        0 => (1 + dice.below(40)).to_string(),
        1 => format!("position() mod {} = {}", 1 + dice.below(9), dice.below(3)),
        2 => format!("last() - {}", dice.below(3)),
        _ => value(dice, levels),
    }
}

/// A boolean, number or string.
fn value(dice: &mut Dice, levels: usize) -> String {
    if levels == 0 {
        return dice
            .one(&[
                ".",
                "..",
                "'x'",
                "1",
                "true()",
                "//*",
                "count(//*)",
                "string(/)",
                "position()",
                "last()",
            ])
            .to_string();
    }
    let next = levels - 1;
    match dice.below(16) {
        0 => format!("count({}) > {}", nodes(dice, next), dice.below(9)),
        1 | 2 => {
            let by = *dice.one(&COMPARISONS);
            format!("{} {by} {}", nodes(dice, next), nodes(dice, next))
        }
        3 => {
            let by = *dice.one(&COMPARISONS);
            format!("{} {by} '{}'", nodes(dice, next), dice.below(100))
        }
        4 => format!("not({})", value(dice, next)),
        5 => {
            let by = *dice.one(&["and", "or"]);
            format!("({}) {by} ({})", value(dice, next), value(dice, next))
        }
        6 => {
            let by = *dice.one(&SUMS);
            format!("number({}) {by} {}", nodes(dice, next), dice.below(5))
        }
        7 => format!("sum({}) >= 0", nodes(dice, next)),
        8 => {
            let by = *dice.one(&["contains", "starts-with", "substring-after"]);
            format!("{by}(string({}), 'urn')", nodes(dice, next))
        }
        9 => format!("string-length(normalize-space({})) > 3", value(dice, next)),
        10 => format!(
            "translate({}, 'abcdefgh', 'hgfedcba') != ''",
            value(dice, next)
        ),
        11 => format!(
            "concat(string({}), string({}), '{}') != ''",
            value(dice, next),
            value(dice, next),
            "x".repeat(dice.size(2_000))
        ),
        12 => format!("re-match({}, '{}')", value(dice, next), dice.one(&PATTERNS)),
        13 => format!(
            "substring(string({}), {}) != ''",
            nodes(dice, next),
            dice.below(9)
        ),
        14 => {
            let by = *dice.one(&["derived-from", "derived-from-or-self", "bit-is-set"]);
            format!("{by}({}, 'y:x')", nodes(dice, next))
        }
        _ => nodes(dice, next),
    }
}

/// Nested predicates that depend on their context node: the most expensive kind.
fn costly(dice: &mut Dice) -> String {
    let axes = ["preceding", "following", "descendant", "ancestor"];
    let mut inner = ". != ..".to_owned();
    for _ in 0..1 + dice.below(3) {
        inner = format!("count({}::*[{inner}]) >= 0", dice.one(&axes));
    }
    format!("//*[{inner}]")
}

/// An expression nested up to the limit and a little deeper.
fn deep(dice: &mut Dice) -> String {
    let levels = dice.size(70);
    match dice.below(4) {
        0 => format!("//*{}1{}", "[*".repeat(levels), "]".repeat(levels)),
        1 => format!("{}//*{}", "(".repeat(levels), ")".repeat(levels)),
        2 => format!("//*[{}.{}]", "not(".repeat(levels), ")".repeat(levels)),
        _ => format!(
            "//*{}{}",
            "[count(//*".repeat(levels),
            ")>0]".repeat(levels)
        ),
    }
}

/// Many steps, paths or operators in sequence.
fn wide(dice: &mut Dice) -> String {
    let many = dice.size(1_500);
    match dice.below(4) {
        0 => vec!["//*"; many].join("|"),
        1 => format!("/{}", vec!["*/.."; many].join("/")),
        2 => format!("//*[{}]", vec!["//*"; many].join("=")),
        _ => format!("//*{}", "[//*]".repeat(many)),
    }
}

/// Long literals and names, up to the limit and beyond.
fn long(dice: &mut Dice) -> String {
    let bytes = dice.size(70_000);
    match dice.below(3) {
        0 => format!("//*[contains(., '{}')]", "a".repeat(bytes)),
        1 => format!("//y:{}", "n".repeat(bytes.min(20_000))),
        _ => format!("//*[. = '{}']", "ab ".repeat(bytes / 3)),
    }
}

/// Invalid expressions, and expressions about nonexistent nodes.
fn broken(dice: &mut Dice) -> String {
    let wrong = [
        "",
        "//*[",
        "//*]",
        "///",
        "//*[position(]",
        "$x",
        "//z:*",
        "//module",
        "count(//*)",
        "'text'",
        "unheard-of(//*)",
        "//*[id('x')]",
        "namespace::*",
        "//*[count()]",
        "1 div 0",
        "//processing-instruction('x')",
    ];
    dice.one(&wrong).to_string()
}
