//! Sessions with a running platform: requests, and access to their replies.
//!
//! Knows names of modules and the structure of replies; each command interprets them. Read next:
//! `server::client`.

use crate::cli::{Common, OPERATOR, Remote};
use crate::output::Failure;
use domain::content::Content;
use domain::time::Timestamp;
use netconf::client::Reply;
use netconf::data::{Node, write};
use netconf::filter::Projection;
use netconf::xml::{XmlDocument, XmlElement};
use server::client::{Client, Identity};

pub(crate) const AGENT: &str = "urn:ietf:params:xml:ns:yang:irtf-agent";
pub(crate) const REGISTRY: &str = "urn:convoke:params:xml:ns:yang:convoke-registry";
pub(crate) const SCHEMA: &str = "urn:convoke:params:xml:ns:yang:convoke-schema";
pub(crate) const DATA: &str = "urn:convoke:params:xml:ns:yang:convoke-data";

/// The number of entries of a long list per request.
const PAGE: u64 = 200;

/// Opens a session as the user in the flags.
pub(crate) async fn connect(common: &Common, remote: &Remote) -> Result<Client, Failure> {
    Ok(Client::connect(&remote.netconf, &identity(common, remote)).await?)
}

/// The user and key in the flags.
pub(crate) fn identity(common: &Common, remote: &Remote) -> Identity {
    let operator = Identity::operator(&common.state);
    let key = match (&remote.identity, remote.user.as_str()) {
        (Some(file), _) => file.clone(),
        (None, OPERATOR) => operator.key.clone(),
        (None, user) => common.state.join("keys").join(format!("{user}_ed25519")),
    };
    Identity {
        user: remote.user.clone(),
        key,
        ..operator
    }
}

/// The flags of an agent that acts in its own name: if they have a key and no other user, the agent
/// is the user.
pub(crate) fn own(remote: &Remote, agent: &str) -> Remote {
    let mut remote = remote.clone();
    if remote.identity.is_some() && remote.user == OPERATOR {
        agent.clone_into(&mut remote.user);
    }
    remote
}

/// The XML of an element.
pub(crate) fn xml(node: &Node<'_>) -> String {
    let mut out = Vec::with_capacity(512);
    write(node, &Projection::everything(), &mut out);
    String::from_utf8(out).expect("nodes are written from strings")
}

/// Calls an RPC.
pub(crate) async fn call(client: &mut Client, rpc: &Node<'_>) -> Result<Reply, Failure> {
    Ok(client.call(&xml(rpc)).await?)
}

/// Reads the state that a subtree filter selects.
pub(crate) async fn get(client: &mut Client, filter: &Node<'_>) -> Result<XmlDocument, Failure> {
    let rpc = format!(
        "<get><filter type=\"subtree\">{}</filter></get>",
        xml(filter)
    );
    Ok(client.call(&rpc).await?.document)
}

/// The entry of a list of the registry with this key.
pub(crate) async fn entry(
    client: &mut Client,
    list: &str,
    key: &str,
    value: &str,
) -> Result<XmlDocument, Failure> {
    let entry = Node::container("", list).leaf(key, value);
    let filter = Node::container(REGISTRY, "registry").with(entry);
    get(client, &filter).await
}

/// The children of that name in the selected state: entries of a list of the registry.
pub(crate) fn entries<'d>(
    document: &'d XmlDocument,
    list: &'d str,
) -> impl Iterator<Item = XmlElement<'d>> {
    selected(document)
        .filter(|c| c.is(REGISTRY, "registry"))
        .flat_map(XmlElement::children)
        .filter(move |c| c.name() == list)
}

/// The top-level elements of the selected state.
pub(crate) fn selected(document: &XmlDocument) -> impl Iterator<Item = XmlElement<'_>> {
    let data = document.root().children().filter(|c| c.name() == "data");
    data.flat_map(XmlElement::children)
}

/// Reads a long list of the registry page by page.
pub(crate) async fn pages(
    client: &mut Client,
    rpc: &str,
    asked: &[(&str, &str)],
    mut take: impl FnMut(XmlElement<'_>),
) -> Result<(), Failure> {
    let mut after = None;
    loop {
        let request = Node::container(REGISTRY, rpc)
            .leaf("limit", PAGE)
            .leaf_opt("after", after.as_ref());
        let request = asked
            .iter()
            .fold(request, |node, (name, value)| node.leaf(name, *value));
        let reply = call(client, &request).await?;
        let mut next = None;
        for element in reply.body() {
            match element.name() {
                "next" => next = Some(element.text().to_owned()),
                _ => take(element),
            }
        }
        if next.is_none() {
            return Ok(());
        }
        after = next;
    }
}

/// The text of a leaf along a path of names; empty if it does not exist.
pub(crate) fn text(element: XmlElement<'_>, path: &str) -> String {
    let mut at = Some(element);
    for name in path.split('/') {
        at = at.and_then(|e| e.children().find(|c| c.name() == name));
    }
    at.map_or_else(String::new, |e| e.text().to_owned())
}

/// The texts of a leaf-list, or of a leaf.
pub(crate) fn texts(element: XmlElement<'_>, name: &str) -> Vec<String> {
    named(element, name).map(|c| c.text().to_owned()).collect()
}

/// The text of a leaf; none if it does not exist.
pub(crate) fn leaf(element: XmlElement<'_>, name: &str) -> Option<String> {
    let found = named(element, name).next();
    found.map(|c| c.text().to_owned())
}

/// The children of that name.
pub(crate) fn named<'d>(
    element: XmlElement<'d>,
    name: &'d str,
) -> impl Iterator<Item = XmlElement<'d>> + 'd {
    element.children().filter(move |c| c.name() == name)
}

/// The instant in a leaf; the Unix epoch if it has none.
pub(crate) fn time(element: XmlElement<'_>, path: &str) -> Timestamp {
    Timestamp::parse(&text(element, path)).unwrap_or_default()
}

/// The target of a task, from the sections of its content.
pub(crate) fn target(content: &str) -> String {
    Content::parse([content]).map_or_else(|_| String::new(), |c| c.target_object)
}

/// An element as JSON: leaves are strings, repeated elements arrays.
pub(crate) fn to_json(element: XmlElement<'_>) -> serde_json::Value {
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

/// The name of the agent with this name or alias.
pub(crate) async fn agent_name(client: &mut Client, name: &str) -> Result<String, Failure> {
    let agent = Node::container("", "agent");
    let agent = agent
        .with(Node::container("", "name"))
        .with(Node::container("", "alias"));
    let filter = Node::container(REGISTRY, "registry").with(agent);
    let document = get(client, &filter).await?;
    let found = entries(&document, "agent")
        .find(|a| text(*a, "name") == name || text(*a, "alias") == name)
        .map(|a| text(a, "name"));
    found.ok_or_else(|| {
        let called = |a| leaf(a, "alias").unwrap_or_else(|| text(a, "name"));
        let known: Vec<String> = entries(&document, "agent").map(called).collect();
        Failure::refused(format!(
            "no agent is called '{name}'; known are {}",
            known.join(", ")
        ))
    })
}
