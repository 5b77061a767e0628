//! Tests of the evaluator by itself: selections, refusals, costs. That libyang selects the same is
//! tested in `bindings::netconf::search`.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::xml::{Limits, XmlDocument};
use proptest::prelude::*;

struct NoModules;

impl Modules for NoModules {
    fn is_derived(&self, identity: Name<'_>, base: Name<'_>) -> bool {
        (identity, base) == (("urn:i", "small"), ("urn:i", "any"))
    }

    fn enum_value(&self, leaf: XmlElement<'_>) -> Option<i64> {
        (leaf.text() == "on").then_some(7)
    }

    fn re_match(&self, text: &str, pattern: &str) -> Result<bool, String> {
        match pattern {
            "" => Err("empty".to_owned()),
            pattern => Ok(text == pattern),
        }
    }
}

const FLEET: &str = "<data><fleet xmlns='urn:f'>\
    <ship><name>Argo</name><crew>50</crew><mast>a</mast><mast>b</mast><kind xmlns:x='urn:i'>x:small</kind></ship>\
    <ship><name>Fram</name><crew>16</crew><port><name>Oslo</name></port></ship>\
    <ship><name>Vasa</name><crew/><flags>old  sunk</flags><state>on</state></ship>\
    </fleet><note xmlns='urn:n' xml:lang='en-GB'>calm</note></data>";

fn parsed(expression: &str) -> Result<Expression, ExpressionError> {
    let prefixes = [("f", "urn:f"), ("n", "urn:n"), ("i", "urn:i")];
    Expression::parse(expression, &prefixes)
}

fn document(text: &str) -> XmlDocument {
    XmlDocument::parse(text, &Limits::client()).unwrap()
}

/// The names and texts of the elements selected from the fleet, or the truth value.
fn outcome(expression: &str) -> String {
    let expression = parsed(expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
    let document = document(FLEET);
    let mut budget = Budget::steps(100_000);
    if !expression.is_node_set() {
        let truth = expression.is_true(&document, &NoModules, &mut budget);
        return truth.unwrap().to_string();
    }
    let selected = expression
        .select(&document, &NoModules, &mut budget)
        .unwrap();
    let told = selected.iter().map(|e| match e.has_children() {
        true => e.name().to_owned(),
        false => format!("{}={}", e.name(), e.text()),
    });
    told.collect::<Vec<_>>().join(" ")
}

#[test]
fn paths_axes_and_predicates_select_what_xpath_says() {
    for (expression, selected) in [
        ("/", "data"),
        ("/*", "fleet note=calm"),
        ("//f:name", "name=Argo name=Fram name=Oslo name=Vasa"),
        ("/f:fleet/f:ship[2]/f:crew", "crew=16"),
        ("/f:fleet/f:ship[last()]/f:name", "name=Vasa"),
        ("//f:name[1]", "name=Argo name=Fram name=Oslo name=Vasa"),
        ("(//f:name)[1]", "name=Argo"),
        ("//f:ship[f:crew > 20]/f:name", "name=Argo"),
        ("//f:ship[f:crew = '']/f:name", "name=Vasa"),
        ("//f:ship[f:mast = 'b']/f:mast[. != 'b']", "mast=a"),
        (
            "//f:port/../f:name | //f:port/f:name",
            "name=Fram name=Oslo",
        ),
        ("//f:mast/following-sibling::*[1]", "mast=b kind=x:small"),
        ("//f:kind/preceding-sibling::*[1]", "mast=b"),
        ("//f:port/preceding::f:crew", "crew=50 crew=16"),
        ("//f:port/following::f:name", "name=Vasa"),
        ("//f:port/following::*/..", "data fleet ship"),
        ("//f:port/ancestor::*", "fleet ship"),
        ("//f:port/ancestor-or-self::f:*[1]", "port"),
        ("//f:port/ancestor::node()", "data fleet ship"),
        (
            "//f:ship[name(..) = 'f:fleet'][position() = 2]/f:name",
            "name=Fram",
        ),
        ("//f:ship[not(f:mast)]/f:name", "name=Fram name=Vasa"),
        ("//f:ship/descendant::f:name[. = 'Oslo']", "name=Oslo"),
        ("//*[local-name() = 'note']", "note=calm"),
        ("//n:*[lang('en')]", "note=calm"),
        ("//*[@xml:lang]", "note=calm"),
        (
            "//*[self::f:crew or self::f:port]",
            "crew=50 crew=16 port crew=",
        ),
        ("//f:crew[text()]", "crew=50 crew=16"),
        ("//f:name/text()", "name=Argo name=Fram name=Oslo name=Vasa"),
        ("//f:port/f:name | //f:port/f:name/text()", "name=Oslo"),
        ("//f:ship/text()", ""),
        ("//@xml:lang", "note=calm"),
        ("//f:ship[f:name = //f:port/../f:name]/f:crew", "crew=16"),
        ("//f:kind[. = 'i:small']", "kind=x:small"),
        ("//f:kind[. = 'f:small']", ""),
        (
            "//f:ship[derived-from(f:kind, 'i:any')]/f:name",
            "name=Argo",
        ),
        (
            "//f:ship[derived-from-or-self(f:kind, 'i:small')]/f:name",
            "name=Argo",
        ),
        ("//f:ship[bit-is-set(f:flags, 'sunk')]/f:name", "name=Vasa"),
        ("//f:ship[enum-value(f:state) = 7]/f:name", "name=Vasa"),
        ("//f:name[re-match(., 'Fram')]", "name=Fram"),
        ("current()/f:fleet/f:ship[1]/f:name", "name=Argo"),
        (
            "//f:ship[count(f:mast) mod 2 = 0 and f:mast]/f:name",
            "name=Argo",
        ),
    ] {
        assert_eq!(outcome(expression), selected, "{expression}");
    }
}

#[test]
fn functions_and_operators_yield_what_xpath_says() {
    for truth in [
        "1 div 0 > 100 and -1 div 0 < 0 and not(0 div 0 = 0 div 0)",
        "string(1 div 0) = 'Infinity' and string(0 div 0) = 'NaN' and string(-0) = '0'",
        "string(1.50) = '1.5' and string(1000000000000000000000) = '1000000000000000000000'",
        "number(' -12.5 ') = -12.5 and not(number('1e3') = 1000) and number('.5') = 0.5",
        "- - 3 = 3 and 7 mod -3 = 1 and -7 mod 3 = -1",
        "round(2.5) = 3 and round(-2.5) = -2 and floor(-0.5) = -1 and ceiling(0.2) = 1",
        "substring('12345', 2, 3) = '234' and substring('12345', 1.5, 2.6) = '234'",
        "substring('12345', 0, 3) = '12' and substring('12345', 0 div 0, 3) = ''",
        "substring('12345', -42, 1 div 0) = '12345' and substring('äöü', 2) = 'öü'",
        "translate('bar', 'abc', 'AB') = 'BAr' and translate('--a--', '-', '') = 'a'",
        "normalize-space('  a \n b ') = 'a b' and string-length('äö') = 2",
        "substring-before('1999/04', '/') = '1999' and substring-after('1999/04', '/') = '04'",
        "concat('a', 1, true()) = 'a1true' and contains('abc', 'b') and starts-with('abc', 'ab')",
        "sum(//f:mast) != 1 and sum(/f:fleet/f:ship[position() < 3]/f:crew) = 66",
        "//f:crew != //f:crew and not(//f:port != //f:port) and //f:crew < //f:crew",
        "//f:crew > 49 and 49 < //f:crew and 16 = //f:crew and not(//f:crew = 17)",
        "(//f:nothing = '') = false() and boolean('false') and not(//f:nothing != 1)",
        "//f:port = 'Oslo' and string(/f:fleet/f:ship[2]) = 'Fram16Oslo'",
        "namespace-uri(//f:port) = 'urn:f' and name(/*) = 'f:fleet' and name(/) = ''",
        "count(//f:name | //f:name) = 4 and count(//node()) > count(//*)",
        "'a' < 'b' or true() > false()",
    ] {
        assert_eq!(outcome(truth), "true", "{truth}");
    }
}

#[test]
fn what_is_no_expression_says_why() {
    let told = |text: &str| parsed(text).unwrap_err().to_string();
    for (text, why) in [
        ("", "a step is expected at character 1, where it ends"),
        ("/f:a[", "a step is expected at character 6, where it ends"),
        (
            "//f:a]",
            "an operator or the end is expected at character 6, not \"]\"",
        ),
        ("/a", "the name \"a\" needs a prefix"),
        ("/q:a", "prefix \"q\" is not bound to a namespace"),
        ("foo(1)", "there is no function \"foo\""),
        ("count(1)", "count() takes a node-set"),
        ("concat('a')", "concat() takes two strings or more"),
        (
            "derived-from(/*, 'q:a')",
            "prefix \"q\" is not bound to a namespace",
        ),
        ("1 | /", "a part of a union is no node-set"),
        ("'a'[1]", "what a predicate follows is no node-set"),
        ("$a", "a variable is not offered"),
        ("namespace::f:a", "the namespace axis is not offered"),
        (
            "side::f:a",
            "an axis is expected at character 1, not \"side\"",
        ),
        (
            "'a",
            "a token of XPath is expected at character 1, not \"'\"",
        ),
        (
            "é:a/#",
            "a token of XPath is expected at character 5, not \"#\"",
        ),
    ] {
        assert_eq!(told(text), why, "{text}");
    }
    let deep = format!("{}1{}", "(".repeat(65), ")".repeat(65));
    assert_eq!(told(&deep), "it has more than 64 levels");
    assert_eq!(
        told(&"/f:a".repeat(5_000)),
        "it has more than 4096 operators, steps and calls"
    );
    assert_eq!(told(&" ".repeat(65_537)), "it has more than 65536 bytes");
}

#[test]
fn what_is_selected_is_written_with_ancestors_and_keys() {
    let mut keys = Keys::default();
    keys.insert([("urn:f", "fleet"), ("urn:f", "ship"), ("urn:f", "name")]);
    let written = |expression: &str| {
        let document = document(FLEET);
        let expression = parsed(expression).unwrap();
        let mut budget = Budget::steps(100_000);
        let selected = expression
            .select(&document, &NoModules, &mut budget)
            .unwrap();
        let mut out = Vec::new();
        keys.write(&selected, &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(
        written("//f:crew[. > 20] | //f:port/f:name | //f:port"),
        "<fleet xmlns='urn:f'><ship><name>Argo</name><crew>50</crew></ship>\
         <ship><name>Fram</name><port><name>Oslo</name></port></ship></fleet>"
    );
    assert_eq!(written("//f:port/text()"), "");
    assert_eq!(
        written("//f:port/f:name/text()"),
        written("//f:port/f:name")
    );
    assert_eq!(
        written("//f:port/.. | //f:port/f:name")
            .matches("Oslo")
            .count(),
        1
    );
    assert_eq!(
        written("/"),
        FLEET.replace("<data>", "").replace("</data>", "")
    );
}

/// A list of `entries` entries, of five nodes each.
fn large(entries: usize) -> XmlDocument {
    let entry = |n: usize| format!("<ship><name>s{n}</name><crew>{}</crew></ship>", n % 7);
    let entries: String = (0..entries).map(entry).collect();
    document(&format!(
        "<data><fleet xmlns='urn:f'>{entries}</fleet></data>"
    ))
}

fn cost(expression: &str, document: &XmlDocument, limit: u64) -> Result<u64, EvaluationError> {
    let mut budget = Budget::steps(limit);
    parsed(expression)
        .unwrap()
        .select(document, &NoModules, &mut budget)?;
    Ok(budget.spent())
}

/// Expressions each of which kept libyang busy for minutes.
const ATTACKS: [&str; 3] = [
    "//*[count(//*[count(//.)>0])>0]",
    "/*/*/*[//*[.=//*]]",
    "//*[//*[.=//*]]",
];

#[test]
fn what_does_not_depend_on_its_context_is_evaluated_once() {
    for attack in ATTACKS {
        let [small, big] =
            [250, 1_000].map(|entries| cost(attack, &large(entries), u64::MAX).unwrap());
        assert!(
            big < 5 * small,
            "{attack}: {small} steps, four times the data {big}"
        );
        assert!(big < 200_000, "{attack}: {big} steps");
    }
}

#[test]
fn a_budget_ends_what_grows_faster_than_the_data() {
    let document = large(1_000);
    for expression in [
        "//*[count(following::*[count(preceding::*) > 3]) > 0]",
        "//*[.//*[. = current()//f:name[. != ..]]]",
        "//*[count(//*[. = //f:name[position() > count(../preceding::*)]]) > 0]",
        "//*[ancestor::*//*[ancestor::*//*[ancestor::*//*]]]",
    ] {
        assert_eq!(
            cost(expression, &document, 100_000),
            Err(EvaluationError::Spent { limit: 100_000 }),
            "{expression}"
        );
    }
}

#[test]
fn one_that_nobody_waits_for_ends() {
    let document = large(1_000);
    let stopped = || true;
    let mut budget = Budget::steps(u64::MAX).until(&stopped);
    let expression = parsed("//*[count(preceding::*) > 3]").unwrap();
    let outcome = expression.select(&document, &NoModules, &mut budget);
    assert_eq!(
        outcome.map(|found| found.len()),
        Err(EvaluationError::Cancelled)
    );
    assert!(budget.spent() <= 2 * 4_096);
}

#[test]
fn positions_compare_with_numbers_only() {
    assert_eq!(
        outcome("//f:ship['1']/f:name"),
        "name=Argo name=Fram name=Vasa"
    );
    assert_eq!(outcome("//f:ship[1.5]/f:name"), "");
    assert_eq!(
        outcome("//f:ship[position()]/f:name"),
        "name=Argo name=Fram name=Vasa"
    );
}

/// Expressions, right and wrong, small and nested.
pub(super) fn expressions() -> impl Strategy<Value = String> {
    let axis = prop::sample::select(vec![
        "",
        "//",
        "../",
        "descendant::",
        "ancestor::",
        "following::",
        "preceding::",
        "following-sibling::",
        "preceding-sibling::",
        "ancestor-or-self::",
        "self::",
        "@",
    ]);
    let test = prop::sample::select(vec![
        "*", "f:*", "f:name", "f:crew", "f:ship", "node()", "text()",
    ]);
    let path = (any::<bool>(), axis, test).prop_map(|(root, axis, test)| {
        match (root, axis.starts_with('/')) {
            (true, false) => format!("/f:fleet/{axis}{test}"),
            _ => format!("{axis}{test}"),
        }
    });
    let constant = prop::sample::select(vec!["1", "'s1'", "3", ".", "/", "last()", "position()"]);
    let leaf = prop_oneof![4 => path, 1 => constant.prop_map(str::to_owned)];
    leaf.prop_recursive(5, 24, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            two.clone().prop_map(|(a, b)| format!("{a}[{b}]")),
            (
                two.clone(),
                prop::sample::select(vec!["=", "!=", "<", "and", "or", "+", "|"])
            )
                .prop_map(|((a, b), sign)| format!("{a} {sign} {b}")),
            two.clone().prop_map(|(a, b)| format!("({a})/{b}")),
            two.prop_map(|(a, b)| format!("contains({a}, {b})")),
            inner.clone().prop_map(|a| format!("count({a})")),
            inner.clone().prop_map(|a| format!("not({a})")),
            inner.prop_map(|a| format!("string({a})")),
        ]
    })
}

proptest! {
    /// No evaluation takes more than its budget, and its outcome within the budget is the same as
    /// without one.
    #[test]
    fn no_expression_takes_more_than_its_budget(text in expressions()) {
        let document = large(40);
        let Ok(expression) = parsed(&text) else { return Ok(()) };
        let run = |limit| {
            let mut budget = Budget::steps(limit);
            let found = expression.select(&document, &NoModules, &mut budget);
            (found.map(|f| f.iter().map(|e| e.index()).collect::<Vec<_>>()), budget.spent())
        };
        let (found, spent) = run(300_000);
        prop_assert!(spent <= 300_000);
        match found {
            Ok(found) => {
                prop_assert!(found.is_sorted_by(|a, b| a < b), "each once, in order");
                prop_assert_eq!(run(spent), (Ok(found), spent));
                if spent > 0 {
                    prop_assert_eq!(run(spent - 1).0, Err(EvaluationError::Spent { limit: spent - 1 }));
                }
            }
            Err(error) => prop_assert_eq!(error, EvaluationError::Spent { limit: 300_000 }),
        }
    }

    /// The parser returns on any text.
    #[test]
    fn no_text_breaks_the_parser(text in "[-/@\\[\\]()f:*.,|=!<>'\" a-d0-9+$é靠]{0,60}") {
        drop(parsed(&text));
    }
}
