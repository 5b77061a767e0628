//! A session with a running platform, and what is read there.

use crate::cli::{Common, Remote};
use crate::output::Failure;
use netconf::xml::{Document, Element};
use server::client::{Client, Identity};

const REGISTRY: &str = "urn:convoke:params:xml:ns:yang:convoke-registry";

/// Opens a session as the user that the flags name.
pub(crate) async fn connect(common: &Common, remote: &Remote) -> Result<Client, Failure> {
    Ok(Client::connect(&remote.netconf, &identity(common, remote)).await?)
}

fn identity(common: &Common, remote: &Remote) -> Identity {
    let operator = Identity::operator(&common.state);
    let key = match (&remote.identity, remote.user.as_str()) {
        (Some(file), _) => file.clone(),
        (None, "operator") => operator.key.clone(),
        (None, user) => common.state.join("keys").join(format!("{user}_ed25519")),
    };
    Identity {
        user: remote.user.clone(),
        key,
        ..operator
    }
}

/// What a subtree filter inside `<registry>` selects.
pub(crate) async fn registry(client: &mut Client, filter: &str) -> Result<Document, Failure> {
    let rpc = format!(
        "<get><filter type=\"subtree\"><registry xmlns=\"{REGISTRY}\">{filter}</registry></filter></get>"
    );
    Ok(client.call(&rpc).await?.document)
}

/// The entries of a list inside `<registry>`.
pub(crate) fn entries<'d>(
    document: &'d Document,
    list: &'d str,
) -> impl Iterator<Item = Element<'d>> {
    document
        .root()
        .children()
        .filter(|c| c.name() == "data")
        .flat_map(Element::children)
        .filter(|c| c.is(REGISTRY, "registry"))
        .flat_map(Element::children)
        .filter(move |c| c.name() == list)
}

/// The text of a leaf along a path of names; empty if it is not there.
pub(crate) fn text(element: Element<'_>, path: &str) -> String {
    let mut at = Some(element);
    for name in path.split('/') {
        at = at.and_then(|e| e.children().find(|c| c.name() == name));
    }
    at.map_or_else(String::new, |e| e.text().to_owned())
}

/// An element as JSON: leaves are strings, what occurs twice is an array.
pub(crate) fn to_json(element: Element<'_>) -> serde_json::Value {
    use serde_json::{Map, Value};
    if !element.has_children() {
        return Value::String(element.text().to_owned());
    }
    let mut object = Map::new();
    for child in element.children() {
        let value = to_json(child);
        match object.get_mut(child.name()) {
            Some(Value::Array(items)) => items.push(value),
            Some(single) => *single = Value::Array(vec![single.take(), value]),
            None => {
                object.insert(child.name().to_owned(), value);
            }
        }
    }
    Value::Object(object)
}

/// The name of the agent called `name` or, by alias, so.
pub(crate) async fn agent_name(client: &mut Client, name: &str) -> Result<String, Failure> {
    let document = registry(client, "<agent><name/><alias/></agent>").await?;
    let found = entries(&document, "agent")
        .find(|a| text(*a, "name") == name || text(*a, "alias") == name)
        .map(|a| text(a, "name"));
    found.ok_or_else(|| {
        let known: Vec<String> = entries(&document, "agent")
            .map(|a| text(a, "alias"))
            .collect();
        Failure::refused(format!(
            "no agent is called '{name}'; known are {}",
            known.join(", ")
        ))
    })
}
