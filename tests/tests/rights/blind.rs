//! Queries that would disclose hidden data: the existence or content of a hidden node. They are
//! answered as if the hidden node did not exist.

use super::alike::unnumbered;
use super::reference::{Reference, User};
use super::stage::{REGISTRY, Stage};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A leaf of the YANG library that every user may read: shown if the answer to a query is yes.
const ANCHOR: &str = "/y:yang-library/y:content-id";
const LIBRARY: &str = "urn:ietf:params:xml:ns:yang:ietf-yang-library";

/// The number of paths in one query.
const AT_ONCE: usize = 25;

/// Leaves that an administrator sees, by schema path, with a text of each.
type Leaves = BTreeMap<String, String>;

impl Stage {
    /// True if the answer to a query is yes: an XPath that is true or false.
    fn is_so(&mut self, user: &str, question: &str, prefixes: &str) -> bool {
        let get = format!(
            "<get><filter type='xpath' xmlns:y='{LIBRARY}' {prefixes} \
             select=\"{ANCHOR}[{question}]\"/></get>"
        );
        let reply = self.call(user, "platform", &get);
        assert!(reply.contains("<data"), "{user}: {question}: {reply}");
        reply.contains("<content-id")
    }
}

/// The existing leaves, without keys: a user who sees an entry of a list sees its keys.
fn leaves(stage: &mut Stage, reference: &Reference) -> Leaves {
    let all = stage.get("operator", "platform");
    let leaves = reference.leaves(&all).into_iter();
    leaves
        .filter(|(path, text)| !reference.is_key(path) && !text.is_empty())
        .collect()
}

/// The leaves that the rules hide.
fn hidden<'a>(reference: &Reference, user: &User, leaves: &'a Leaves) -> Vec<(&'a str, &'a str)> {
    let hidden = leaves
        .iter()
        .filter(|(path, _)| !reference.may_see(user, path));
    hidden
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect()
}

/// A path with a prefix for each of its steps, and their namespace declarations.
fn prefixed(reference: &Reference, paths: &[(&str, &str)]) -> (Vec<String>, String) {
    let (mut prefixes, mut modules) = (String::new(), Vec::new());
    let paths = paths.iter().map(|(path, _)| {
        let mut steps = String::new();
        for (module, name) in super::reference::steps(path) {
            let place = modules.iter().position(|known| *known == module);
            let place = place.unwrap_or_else(|| {
                let namespace = reference.namespace_of(module);
                write!(prefixes, "xmlns:m{}='{namespace}' ", modules.len()).unwrap();
                modules.push(module);
                modules.len() - 1
            });
            write!(steps, "/m{place}:{name}").unwrap();
        }
        steps
    });
    (paths.collect(), prefixes)
}

/// A predicate on a hidden node is false for any user, as if the node did not exist.
#[test]
fn a_predicate_on_what_is_hidden_finds_nothing() {
    let mut stage = Stage::new();
    let reference = Reference::new();
    let leaves = leaves(&mut stage, &reference);
    assert!(leaves.len() > 100, "{}", leaves.len());
    let all: Vec<(&str, &str)> = leaves
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    for some in all.chunks(AT_ONCE) {
        let (paths, prefixes) = prefixed(&reference, some);
        for path in paths {
            assert!(stage.is_so("operator", &path, &prefixes), "{path} is there");
        }
    }
    let mut cells = 0;
    for user in reference.users() {
        for some in hidden(&reference, &user, &leaves).chunks(AT_ONCE) {
            let (paths, prefixes) = prefixed(&reference, some);
            let question = paths.join(" or ");
            let told = stage.is_so(&user.name, &question, &prefixes);
            assert!(!told, "{} learns of one of {paths:?}", user.name);
            cells += paths.len();
        }
    }
    assert!(cells > 500, "{cells} cells");
}

/// The content of others' records cannot be found by a predicate.
#[test]
fn a_predicate_on_records_that_are_hidden_finds_nothing() {
    let mut stage = Stage::new();
    let reference = Reference::new();
    let prefixes = format!("xmlns:r='{REGISTRY}'");
    let mut found = 0;
    for user in reference.users() {
        let shown = stage.get(&user.name, "platform");
        for row in stage.rows() {
            let question = format!("/r:registry/*[contains(., '{}')]", row.word);
            let is_shown = shown.contains(&row.word);
            let told = stage.is_so(&user.name, &question, &prefixes);
            assert!(is_shown || !told, "{} learns of {}", user.name, row.id);
            found += usize::from(told);
        }
    }
    assert!(found > 10, "{found} were found by those who may read them");
}

/// A user who lists agents, and an agent, count the tasks that they see: none, and their own.
#[test]
fn what_is_counted_is_what_is_shown() {
    let mut stage = Stage::new();
    let mut agents = |user: &str, predicate: &str| {
        let get = format!(
            "<get><filter type='xpath' xmlns:r='{REGISTRY}' \
             select=\"/r:registry/r:agent[{predicate}]\"/></get>"
        );
        stage.call(user, "platform", &get).contains("<agent>")
    };
    let tasks = "count(/r:registry/r:task)";
    for (user, some) in [("operator", true), ("lena", false)] {
        assert_eq!(agents(user, &format!("{tasks}>0")), some, "{user}");
        assert_eq!(agents(user, &format!("{tasks}=0")), !some, "{user}");
    }
    for (id, own) in [("t-wireless", true), ("t-operator", false)] {
        let task = format!("/r:registry/r:task[r:task-id='{id}']");
        assert_eq!(agents("wireless", &format!("count({task})>0")), own, "{id}");
        assert_eq!(agents("wireless", &format!("not({task})")), !own, "{id}");
    }
}

/// A content match on a hidden leaf selects the same as one that matches nothing.
#[test]
fn a_content_match_on_what_is_hidden_selects_nothing() {
    let mut stage = Stage::new();
    let reference = Reference::new();
    let leaves = leaves(&mut stage, &reference);
    let mut cells = 0;
    for user in reference.users() {
        for some in hidden(&reference, &user, &leaves).chunks(AT_ONCE) {
            let mut asked = |guess: &dyn Fn(&str) -> String| {
                let trees = some
                    .iter()
                    .map(|(path, text)| tree(&reference, path, &guess(text)));
                let trees: String = trees.collect();
                let get = format!("<get><filter type='subtree'>{trees}</filter></get>");
                unnumbered(&stage.call(&user.name, "platform", &get))
            };
            let right = asked(&str::to_owned);
            let wrong = asked(&|_| "nothing-is-called-so".to_owned());
            assert_eq!(right, wrong, "{}: {some:?}", user.name);
            cells += some.len();
        }
    }
    assert!(cells > 500, "{cells} cells");
    let get = tree(
        &reference,
        "/convoke-registry:registry/task/task-sendTo",
        "ip",
    );
    let get = format!("<get><filter type='subtree'>{get}</filter></get>");
    assert!(
        stage
            .call("operator", "platform", &get)
            .contains("t-operator")
    );
}

/// A subtree filter whose last node matches this text.
fn tree(reference: &Reference, path: &str, text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let steps = super::reference::steps(path);
    steps.iter().rev().fold(text, |inner, (module, name)| {
        let namespace = reference.namespace_of(module);
        format!("<{name} xmlns='{namespace}'>{inner}</{name}>")
    })
}
