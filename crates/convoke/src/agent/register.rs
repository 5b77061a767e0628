//! `convoke agent register`, `renew` and `leave`: the registration of an agent that runs elsewhere.
//!
//! The profile is a TOML file whose keys are the leaves of `register-agent`; the platform validates
//! it.

use crate::cli::{Common, Register, Remote, Renew};
use crate::output::{self, Failure, line};
use crate::remote::{REGISTRY, call, connect, leaf, named, own};
use netconf::client::Reply;
use netconf::data::Node;
use serde_json::json;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The default layer of an A2A agent.
const LAYER: &str = "service";

pub(super) async fn run(common: &Common, register: Register) -> Result<(), Failure> {
    match (&register.profile, &register.a2a) {
        (Some(file), None) => by_profile(common, &register, file).await,
        (file, Some(url)) => by_card(common, &register, file.as_deref(), url).await,
        (None, None) => Err(Failure::usage("a profile is needed, or the URL of a card")),
    }
}

async fn by_profile(common: &Common, register: &Register, file: &Path) -> Result<(), Failure> {
    let profile = read(file)?;
    let name = profile.get("name").and_then(Value::as_str);
    let name = name
        .filter(|name| domain::profile::usable_name(name))
        .ok_or_else(|| wrong(file, "it gives no usable name"))?;
    if !register.key.is_empty() {
        let_in(&common.state.join("agents"), name, &register.key)?;
    }
    let reach = register.server.as_ref().map(|_| "server");
    let rpc = profiled(file, &profile)?
        .leaf_opt("reach", reach)
        .leaf_opt("address", register.server.as_ref())
        .leaf_opt("host-key", register.host_key.as_ref())
        .leaf_opt("lease", register.lease);
    let mut client = connect(common, &own(&register.remote, name)).await?;
    let reply = call(&mut client, &rpc).await?;
    placed(common, "registered", &reply);
    Ok(())
}

/// Registers an A2A agent by its card; a profile and options supply what the card cannot express.
async fn by_card(
    common: &Common,
    register: &Register,
    file: Option<&Path>,
    url: &str,
) -> Result<(), Failure> {
    let mut profile = match file {
        Some(file) => read(file)?,
        None => Table::new(),
    };
    if let Some(name) = &register.name {
        profile.insert("name".to_owned(), name.as_str().into());
    }
    let layer = register.layer.as_deref();
    if layer.is_some() || !profile.contains_key("layer") {
        let layer = layer.unwrap_or(LAYER);
        profile.insert("layer".to_owned(), layer.into());
    }
    let rpc = profiled(file.unwrap_or(Path::new("--a2a")), &profile)?
        .leaf("reach", "a2a")
        .leaf("card-url", url)
        .leaf_opt("lease", register.lease);
    let mut client = connect(common, &register.remote).await?;
    let reply = call(&mut client, &rpc).await?;
    placed(common, "registered", &reply);
    Ok(())
}

pub(super) async fn renew(common: &Common, renew: Renew) -> Result<(), Failure> {
    let mut client = connect(common, &own(&renew.remote, &renew.agent)).await?;
    let rpc = Node::container(REGISTRY, "renew-lease")
        .leaf("name", &renew.agent)
        .leaf("health", renew.health.as_str())
        .leaf_opt("health-note", renew.note.as_ref());
    let reply = call(&mut client, &rpc).await?;
    placed(common, "renewed", &reply);
    Ok(())
}

pub(super) async fn leave(common: &Common, agent: &str, remote: &Remote) -> Result<(), Failure> {
    let mut client = connect(common, &own(remote, agent)).await?;
    let rpc = Node::container(REGISTRY, "deregister-agent").leaf("name", agent);
    call(&mut client, &rpc).await?;
    if common.json {
        output::json(&json!({ "event": "left", "name": agent }));
    } else {
        line(&format!("{agent} has left"));
    }
    Ok(())
}

/// Prints the outcome of a registration or renewal.
fn placed(common: &Common, event: &str, reply: &Reply) {
    let root = reply.document.root();
    let (name, until) = (leaf(root, "name"), leaf(root, "lease-until"));
    let name = name.unwrap_or_default();
    let advice: Vec<&str> = named(root, "advice").map(|a| a.text()).collect();
    if common.json {
        output::json(&json!({
            "event": event, "name": name, "lease-until": until, "advice": advice,
        }));
        return;
    }
    let until = until.map_or_else(String::new, |at| format!(", lease until {at}"));
    line(&format!("{name} {event}{until}"));
    advice.iter().for_each(|a| line(&format!("  advice: {a}")));
}

fn wrong(file: &Path, what: impl std::fmt::Display) -> Failure {
    Failure::usage(format!("{}: {what}", file.display()))
}

fn read(file: &Path) -> Result<Table, Failure> {
    let text = std::fs::read_to_string(file).map_err(|cause| wrong(file, cause))?;
    text.parse().map_err(|cause| wrong(file, cause))
}

/// Authorises these public keys for the agent.
fn let_in(folder: &Path, name: &str, keys: &[PathBuf]) -> Result<(), Failure> {
    let file = folder.join(format!("{name}.pub"));
    let mut known = match std::fs::read_to_string(&file) {
        Ok(known) => known,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(cause) => return Err(wrong(&file, cause)),
    };
    for key in keys {
        let text = std::fs::read_to_string(key).map_err(|cause| wrong(key, cause))?;
        if text.contains("PRIVATE KEY") {
            return Err(wrong(
                key,
                "this is a private key; its other half ends in .pub",
            ));
        }
        for new in text.lines().filter(|new| !new.trim().is_empty()) {
            if !known.lines().any(|old| old == new) {
                known.push_str(new);
                known.push('\n');
            }
        }
    }
    std::fs::write(&file, known).map_err(|cause| {
        let hint = "keys are put on the machine of the platform, into its folder (--state)";
        wrong(&file, format!("{cause}; {hint}"))
    })
}

/// The `register-agent` request with the profile: keys are leaves of the same name, except that
/// skills and methods are TOML tables, and that what irtf-agent lacks of a skill goes into
/// augmenting elements.
fn profiled<'a>(file: &Path, profile: &'a Table) -> Result<Node<'a>, Failure> {
    let mut rpc = Node::container(REGISTRY, "register-agent");
    let (mut skills, mut details) = (Node::container("", "skills"), Vec::new());
    let mut methods = Node::container("", "authentication");
    for (key, value) in profile {
        match key.as_str() {
            // It names the behaviour of an agent that the platform hosts.
            "role" => {}
            "skill" => {
                for table in tables(file, key, value)? {
                    let (skill, detail) = skill(file, table)?;
                    skills = skills.with(skill);
                    details.extend(detail);
                }
            }
            "authentication" => {
                for table in tables(file, key, value)? {
                    let method = Node::container("", "authentication-methods");
                    methods = methods.with(filled(file, method, table)?);
                }
            }
            _ => rpc = added(file, rpc, key, value)?,
        }
    }
    Ok(rpc.with(skills).with(methods).with_all(details))
}

/// The element of a skill, and the augmenting element for what irtf-agent lacks of it.
fn skill<'a>(file: &Path, table: &'a Table) -> Result<(Node<'a>, Option<Node<'a>>), Failure> {
    let mut skill = Node::container("", "skill");
    let mut detail = Node::container("", "skill-detail");
    let mut detailed = false;
    // The key of an entry comes first (RFC 7950 §7.8.5).
    let name = table.get_key_value("name");
    let others = table.iter().filter(|(key, _)| *key != "name");
    for (key, value) in name.into_iter().chain(others) {
        let leaf = match key.as_str() {
            "name" => {
                detail = added(file, detail, "skill-name", value)?;
                "skill-name"
            }
            "description" => "skill-description",
            "tags" => "skill-tags",
            "examples" | "schemas" => {
                let single = if key == "examples" {
                    "example"
                } else {
                    "schema"
                };
                detail = added(file, detail, single, value)?;
                detailed = true;
                continue;
            }
            other => other,
        };
        skill = added(file, skill, leaf, value)?;
    }
    Ok((skill, detailed.then_some(detail)))
}

fn tables<'a>(file: &Path, key: &str, value: &'a Value) -> Result<Vec<&'a Table>, Failure> {
    let tables = value
        .as_array()
        .map(|items| items.iter().map(Value::as_table).collect());
    let tables: Option<Option<Vec<&Table>>> = tables;
    tables
        .flatten()
        .ok_or_else(|| wrong(file, format!("each '{key}' is a table [[{key}]]")))
}

fn filled<'a>(file: &Path, node: Node<'a>, table: &'a Table) -> Result<Node<'a>, Failure> {
    let mut entries = table.iter();
    entries.try_fold(node, |node, (key, value)| added(file, node, key, value))
}

/// Adds the value of a key: a leaf, a leaf-list or a container.
fn added<'a>(
    file: &Path,
    node: Node<'a>,
    key: &'a str,
    value: &'a Value,
) -> Result<Node<'a>, Failure> {
    Ok(match value {
        Value::String(text) => node.leaf(key, text),
        Value::Boolean(flag) => node.leaf(key, *flag),
        Value::Integer(number) => node.leaf(key, *number),
        Value::Table(table) => node.with(filled(file, Node::container("", key), table)?),
        Value::Array(items) => {
            let mut items = items.iter();
            items.try_fold(node, |node, item| match item {
                Value::String(text) => Ok(node.leaf(key, text)),
                _ => Err(wrong(file, format!("'{key}' is a list of texts"))),
            })?
        }
        _ => return Err(wrong(file, format!("'{key}' has a value of no use here"))),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::remote::xml;
    use insta::assert_snapshot;

    fn written(text: &str) -> Result<String, Failure> {
        let table: Table = text.parse().unwrap();
        profiled(Path::new("probe.toml"), &table).map(|node| xml(&node).replace("><", ">\n<"))
    }

    #[test]
    fn a_profile_is_written_as_the_model_has_it() {
        let text = "name = \"probe\"\nlayer = \"resource\"\nrole = \"ip-fault\"\n\
                    [capability]\nstreaming = true\n\
                    [[skill]]\nname = \"ping\"\ndescription = \"asks\"\ntags = [\"a\", \"b\"]\n\
                    schemas = [\"ping_v1\"]\n\
                    [[authentication]]\naccessinfo-id = \"key\"\nscheme = \"SSH\"\n";
        assert_snapshot!(written(text).unwrap(), @r#"
        <register-agent xmlns="urn:convoke:params:xml:ns:yang:convoke-registry">
        <capability>
        <streaming>true</streaming>
        </capability>
        <layer>resource</layer>
        <name>probe</name>
        <skills>
        <skill>
        <skill-name>ping</skill-name>
        <skill-description>asks</skill-description>
        <skill-tags>a</skill-tags>
        <skill-tags>b</skill-tags>
        </skill>
        </skills>
        <authentication>
        <authentication-methods>
        <accessinfo-id>key</accessinfo-id>
        <scheme>SSH</scheme>
        </authentication-methods>
        </authentication>
        <skill-detail>
        <skill-name>ping</skill-name>
        <schema>ping_v1</schema>
        </skill-detail>
        </register-agent>
        "#);
    }

    #[test]
    fn what_no_leaf_can_hold_is_refused_with_the_file() {
        for text in ["skill = 3", "tags = [[\"a\"]]", "weight = 1.5"] {
            let failure = written(text).unwrap_err();
            assert!(format!("{failure:?}").contains("probe.toml"), "{text}");
        }
    }
}
