//! An untrusted filter over known data: subtree, or XPath, both paths and general expressions.
//!
//! Read next: `netconf::filter`, `netconf::xpath`.

use netconf::data::{Node, write};
use netconf::filter::{Compiled, Keys, Projection, Selection, View};
use netconf::xml::{Limits, XmlDocument, XmlElement};
use netconf::xpath::{Budget, Expression, Modules, Name};

const REGISTRY: &str = "urn:registry";
const EXTRA: &str = "urn:extra";

/// Compiles bytes as a filter, an element `<filter>` or else an XPath expression, and applies it to
/// data at full depth and at one level.
pub fn filter(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let compiled = if text.starts_with('<') {
        let Ok(document) = XmlDocument::parse(data, &Limits::default()) else {
            return;
        };
        let filter = document.root();
        match filter.attribute("", "select") {
            Some(select) => xpath(select, &filter.prefixes()),
            None => Selection::subtree(filter).ok(),
        }
    } else {
        xpath(text, &[("r", REGISTRY), ("x", EXTRA)])
    };
    if let Some(selection) = compiled {
        answered(&selection);
    }
}

/// The step limit of an evaluation.
const STEPS: u64 = 20_000;

fn xpath(expression: &str, prefixes: &[(&str, &str)]) -> Option<Selection> {
    if let Ok(parsed) = Expression::parse(expression, prefixes) {
        evaluated(&parsed);
    }
    match Selection::xpath(expression, prefixes) {
        Ok(Compiled::Selection(selection)) => Some(selection),
        Ok(Compiled::TooComplex) | Err(_) => None,
    }
}

/// The same evaluation gives the same result, each node once, in document order.
fn evaluated(expression: &Expression) {
    let all = print(&Projection::everything().view(), &Projection::everything());
    let data = format!("<data>{all}</data>");
    let document = XmlDocument::parse(data.as_bytes(), &Limits::client()).expect("it is XML");
    let once = || {
        let mut budget = Budget::steps(STEPS);
        let found = expression.select(&document, &NoModules, &mut budget);
        let places = found.map(|found| {
            let places = found.iter().map(|one| one.verbatim().as_ptr() as usize);
            places.collect::<Vec<_>>()
        });
        (places.map_err(|e| e.to_string()), budget.spent())
    };
    let (found, spent) = once();
    assert!(spent <= STEPS, "{spent} steps");
    if let Ok(places) = &found {
        assert!(places.is_sorted_by(|one, next| one < next), "{places:?}");
    }
    assert_eq!(once(), (found, spent));
}

/// Data of no module.
struct NoModules;

impl Modules for NoModules {
    fn is_derived(&self, _: Name<'_>, _: Name<'_>) -> bool {
        false
    }

    fn enum_value(&self, _: XmlElement<'_>) -> Option<i64> {
        None
    }

    fn re_match(&self, text: &str, pattern: &str) -> Result<bool, String> {
        Ok(text == pattern)
    }
}

fn answered(selection: &Selection) {
    let everything = Projection::everything().view();
    let all = print(&everything, &Projection::everything());
    for depth in [None, Some(1)] {
        let projection = Projection::of(selection).max_depth(depth);
        let answer = print(&everything, &projection);
        // A provider that fetches only what the view asks for gives the same answer.
        assert_eq!(print(&projection.view(), &projection), answer);
        assert!(answer.len() <= all.len(), "more than there is: {answer}");
        let wrapped = format!("<data>{answer}</data>");
        XmlDocument::parse(wrapped.as_bytes(), &Limits::client())
            .unwrap_or_else(|e| panic!("{e}: {answer}"));
    }
}

fn print(view: &View<'_>, projection: &Projection<'_>) -> String {
    let mut out = Vec::new();
    for node in fetched(view) {
        write(&node, projection, &mut out);
    }
    String::from_utf8(out).expect("answers are text")
}

/// Four agents and a clock, as far as a view includes them.
fn fetched(view: &View<'_>) -> Vec<Node<'static>> {
    let mut found = Vec::new();
    if let Some(registry) = view.child(REGISTRY, "registry") {
        let agents = registry
            .child(REGISTRY, "agents")
            .map(|agents| agents_of(&agents));
        found.push(Node::container(REGISTRY, "registry").with_opt(agents));
    }
    if let Some(clock) = view.child(EXTRA, "clock") {
        let zone = clock.wants(EXTRA, "zone").then_some("utc");
        found.push(Node::container(EXTRA, "clock").leaf_opt("zone", zone));
    }
    found
}

fn agents_of(view: &View<'_>) -> Node<'static> {
    let entries = view.child(REGISTRY, "agent");
    let wanted = |name: &str| {
        let entries = entries.as_ref()?;
        match entries.demanded_keys("name") {
            Keys::Any => Some(entries),
            Keys::Exactly(names) => names.contains(name).then_some(entries),
        }
    };
    let all = ["ada", "bob", "cyd", "a&b"].into_iter().enumerate();
    let agents = all.filter_map(|(n, name)| Some(agent(n, name, wanted(name)?)));
    Node::container("", "agents").with_all(agents)
}

fn agent(number: usize, name: &'static str, view: &View<'_>) -> Node<'static> {
    let number = u32::try_from(number).expect("there are four");
    let kind = ["oss", "fault"][number as usize % 2];
    let site = view.child(REGISTRY, "site").map(|site| {
        Node::container("", "site")
            .leaf_opt("city", site.wants(REGISTRY, "city").then_some("Bern"))
            .leaf_opt("floor", site.wants(REGISTRY, "floor").then_some(number))
    });
    let weight = view.wants(EXTRA, "weight");
    let tags = if view.wants(REGISTRY, "tag") {
        &["edge", kind][..]
    } else {
        &[]
    };
    Node::entry("", "agent", 1)
        .leaf("name", name)
        .leaf_opt("kind", view.wants(REGISTRY, "kind").then_some(kind))
        .leaf_list("tag", tags.iter().copied())
        .with_opt(weight.then(|| Node::value(EXTRA, "weight", -7i64)))
        .with_opt(site)
}
