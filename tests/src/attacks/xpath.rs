//! Expensive XPath expressions: every axis, nested predicates, unions, the functions of XPath 1.0
//! and of YANG, nesting and length up to the limits.
//!
//! Most select something that a guest may read; some are invalid. Knows nothing of their
//! evaluation. Read next: `netconf::xpath`.

use super::escaped;
use crate::rng::SeededRng;
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
pub fn attributes(rng: &mut SeededRng) -> String {
    let mut declared = String::new();
    for (prefix, namespace, _) in MODULES {
        // One in a hundred is not bound.
        if !rng.once_in(100) {
            let _ = write!(declared, " xmlns:{prefix}=\"{namespace}\"");
        }
    }
    format!("{declared} select=\"{}\"", escaped(&expression(rng)))
}

/// An expression.
pub fn expression(rng: &mut SeededRng) -> String {
    match rng.below(20) {
        5 => costly(rng),
        0 => deep(rng),
        1 => wide(rng),
        2 => long(rng),
        3 => value(rng, 3),
        4 => broken(rng),
        _ => nodes(rng, 3),
    }
}

/// A node-set: one path, or a union.
fn nodes(rng: &mut SeededRng, levels: usize) -> String {
    let paths = if rng.once_in(5) { rng.size(6) } else { 1 };
    let paths: Vec<String> = (0..paths).map(|_| path(rng, levels)).collect();
    paths.join(" | ")
}

fn path(rng: &mut SeededRng, levels: usize) -> String {
    let mut path = rng.one(&["/", "//", "", "", ".//", "../", "/"]).to_string();
    let steps = 1 + rng.below(4);
    for number in 0..steps {
        if number > 0 {
            path.push_str(if rng.once_in(4) { "//" } else { "/" });
        }
        path.push_str(&step(rng, levels));
    }
    path
}

fn step(rng: &mut SeededRng, levels: usize) -> String {
    let mut step = match rng.below(5) {
        0 => return rng.one(&[".", ".."]).to_string(),
        1 => format!("{}::", rng.one(&AXES)),
        _ => String::new(),
    };
    step.push_str(&test(rng));
    let predicates = if levels == 0 { 0 } else { rng.below(3) };
    for _ in 0..predicates {
        let _ = write!(step, "[{}]", predicate(rng, levels - 1));
    }
    step
}

fn test(rng: &mut SeededRng) -> String {
    match rng.below(6) {
        0 => rng.one(&["node()", "text()", "comment()"]).to_string(),
        1 | 2 => "*".to_owned(),
        _ => {
            let (prefix, _, names) = rng.one(&MODULES);
            match rng.once_in(6) {
                true => format!("{prefix}:*"),
                false => format!("{prefix}:{}", rng.one(names)),
            }
        }
    }
}

fn predicate(rng: &mut SeededRng, levels: usize) -> String {
    match rng.below(6) {
        0 => (1 + rng.below(40)).to_string(),
        1 => format!("position() mod {} = {}", 1 + rng.below(9), rng.below(3)),
        2 => format!("last() - {}", rng.below(3)),
        _ => value(rng, levels),
    }
}

/// A boolean, number or string.
fn value(rng: &mut SeededRng, levels: usize) -> String {
    if levels == 0 {
        return rng
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
    match rng.below(16) {
        0 => format!("count({}) > {}", nodes(rng, next), rng.below(9)),
        1 | 2 => {
            let by = *rng.one(&COMPARISONS);
            format!("{} {by} {}", nodes(rng, next), nodes(rng, next))
        }
        3 => {
            let by = *rng.one(&COMPARISONS);
            format!("{} {by} '{}'", nodes(rng, next), rng.below(100))
        }
        4 => format!("not({})", value(rng, next)),
        5 => {
            let by = *rng.one(&["and", "or"]);
            format!("({}) {by} ({})", value(rng, next), value(rng, next))
        }
        6 => {
            let by = *rng.one(&SUMS);
            format!("number({}) {by} {}", nodes(rng, next), rng.below(5))
        }
        7 => format!("sum({}) >= 0", nodes(rng, next)),
        8 => {
            let by = *rng.one(&["contains", "starts-with", "substring-after"]);
            format!("{by}(string({}), 'urn')", nodes(rng, next))
        }
        9 => format!("string-length(normalize-space({})) > 3", value(rng, next)),
        10 => format!(
            "translate({}, 'abcdefgh', 'hgfedcba') != ''",
            value(rng, next)
        ),
        11 => format!(
            "concat(string({}), string({}), '{}') != ''",
            value(rng, next),
            value(rng, next),
            "x".repeat(rng.size(2_000))
        ),
        12 => format!("re-match({}, '{}')", value(rng, next), rng.one(&PATTERNS)),
        13 => format!(
            "substring(string({}), {}) != ''",
            nodes(rng, next),
            rng.below(9)
        ),
        14 => {
            let by = *rng.one(&["derived-from", "derived-from-or-self", "bit-is-set"]);
            format!("{by}({}, 'y:x')", nodes(rng, next))
        }
        _ => nodes(rng, next),
    }
}

/// Nested predicates that depend on their context node: the most expensive kind.
fn costly(rng: &mut SeededRng) -> String {
    let axes = ["preceding", "following", "descendant", "ancestor"];
    let mut inner = ". != ..".to_owned();
    for _ in 0..1 + rng.below(3) {
        inner = format!("count({}::*[{inner}]) >= 0", rng.one(&axes));
    }
    format!("//*[{inner}]")
}

/// An expression nested up to the limit and a little deeper.
fn deep(rng: &mut SeededRng) -> String {
    let levels = rng.size(70);
    match rng.below(4) {
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
fn wide(rng: &mut SeededRng) -> String {
    let many = rng.size(1_500);
    match rng.below(4) {
        0 => vec!["//*"; many].join("|"),
        1 => format!("/{}", vec!["*/.."; many].join("/")),
        2 => format!("//*[{}]", vec!["//*"; many].join("=")),
        _ => format!("//*{}", "[//*]".repeat(many)),
    }
}

/// Long literals and names, up to the limit and beyond.
fn long(rng: &mut SeededRng) -> String {
    let bytes = rng.size(70_000);
    match rng.below(3) {
        0 => format!("//*[contains(., '{}')]", "a".repeat(bytes)),
        1 => format!("//y:{}", "n".repeat(bytes.min(20_000))),
        _ => format!("//*[. = '{}']", "ab ".repeat(bytes / 3)),
    }
}

/// Invalid expressions, and expressions about nonexistent nodes.
fn broken(rng: &mut SeededRng) -> String {
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
    rng.one(&wrong).to_string()
}
