//! Which data an XPath can depend on, as far as its beginning tells.
//!
//! `/p:a/p:b[contains(p:c, 'x')]` looks at nothing outside `/p:a/p:b`, so nothing else need be
//! written for the search. Where a step leads up, sideways or back to the root, everything counts:
//! the answer may be too much, never too little. Read next: [`super`].

use ::netconf::filter::{Compiled, Selection};

/// What is to be written for the expression.
pub(super) fn of_xpath(expression: &str, prefixes: &[(&str, &str)]) -> Selection {
    let (path, rest) = leading_path(expression.trim());
    if path.is_empty() || !stays_below(rest) {
        return Selection::everything();
    }
    match Selection::xpath(path, prefixes) {
        Ok(Compiled::Selection(selection)) => selection,
        _ => Selection::everything(),
    }
}

/// The steps `/p:name` at the beginning, and what follows them.
fn leading_path(expression: &str) -> (&str, &str) {
    let mut end = 0;
    loop {
        let rest = &expression[end..];
        let Some(step) = rest.strip_prefix('/') else {
            break;
        };
        let length = step.find(|c| !is_name(c)).unwrap_or(step.len());
        let (name, after) = step.split_at(length);
        // What is called or an axis is no name; an empty step is the beginning of `//`.
        let named = name
            .split_once(':')
            .is_some_and(|(p, n)| !p.is_empty() && !n.is_empty());
        if !named || name.matches(':').count() > 1 || after.trim_start().starts_with('(') {
            break;
        }
        end += 1 + length;
    }
    expression.split_at(end)
}

/// True if nothing in the rest of an expression leads out of what its leading path selects.
fn stays_below(rest: &str) -> bool {
    const OUTSIDE: [&str; 6] = ["..", "::", "|", "current(", "deref(", "id("];
    const OPERATORS: [&str; 4] = ["and", "or", "div", "mod"];
    if OUTSIDE.iter().any(|sign| rest.contains(sign)) {
        return false;
    }
    // A slash continues a path only behind a name, a predicate or another slash; behind an
    // operator, even one that looks like a name, it begins at the root.
    rest.match_indices('/').all(|(at, _)| {
        let before = &rest[..at];
        let word = before.rsplit(|c| !is_name(c)).next().unwrap_or_default();
        match before.chars().next_back() {
            None | Some(']' | '/') => true,
            Some(last) => is_name(last) && !OPERATORS.contains(&word),
        }
    })
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrowed(expression: &str) -> Option<&str> {
        let (path, rest) = leading_path(expression);
        (!path.is_empty() && stays_below(rest)).then_some(path)
    }

    #[test]
    fn a_leading_path_bounds_what_is_looked_at() {
        for (expression, path) in [
            ("/p:a/p:b[contains(p:c,'x')]", "/p:a/p:b"),
            ("/p:a/p:b[2]/p:c[last()]", "/p:a/p:b"),
            ("/p:a//p:b[p:c/p:d='x']", "/p:a"),
            ("/p:a/*[starts-with(local-name(),'x')]", "/p:a"),
            ("/p:a/text()", "/p:a"),
        ] {
            assert_eq!(narrowed(expression), Some(path), "{expression}");
        }
    }

    #[test]
    fn whatever_may_lead_out_of_it_does_not() {
        for expression in [
            "//p:a[1]",
            "/p:a[/p:b]",
            "/p:a[p:c and /p:b]",
            "/p:a[p:c and/p:b]",
            "/p:a[p:c=/p:b]",
            "/p:a[../p:b]",
            "/p:a[1] | /p:b",
            "/p:a/parent::p:b",
            "/p:a[p:c = current()/p:b]",
            "/p:a[deref(p:c)/p:d]",
            "/p:a[count(/p:b)]",
            "count(/p:a)",
            "/a[1]",
        ] {
            assert_eq!(narrowed(expression), None, "{expression}");
        }
    }
}
