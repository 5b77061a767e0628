//! `convoke agent`: listing, showing, discovering and registering agents, and forming teams.
//!
//! Read next: [`register`], [`team`].

mod register;
mod team;

use crate::cli::{AgentCommand, Common, Criteria, Discover};
use crate::output::{self, Failure, line};
use crate::remote::{
    REGISTRY, agent_name, call, connect, entries, entry, get, text, texts, to_json,
};
use markup::words::cut;
use netconf::data::Node;
use netconf::xml::XmlElement;
use serde_json::{Value, json};

/// The width to which reasons are cut, in columns.
const REASONS: usize = 100;

pub(crate) async fn run(common: &Common, command: AgentCommand) -> Result<(), Failure> {
    match command {
        AgentCommand::List(remote) => {
            let mut client = connect(common, &remote).await?;
            let list = Node::container("", "agent");
            let filter = Node::container(REGISTRY, "registry").with(list);
            let document = get(&mut client, &filter).await?;
            list_agents(common, entries(&document, "agent"));
            Ok(())
        }
        AgentCommand::Show { agent, remote } => {
            let mut client = connect(common, &remote).await?;
            let name = agent_name(&mut client, &agent).await?;
            let document = entry(&mut client, "agent", "name", &name).await?;
            for agent in entries(&document, "agent") {
                if common.json {
                    output::json(&object(agent));
                } else {
                    show(agent, 0);
                }
            }
            Ok(())
        }
        AgentCommand::Discover(wanted) => discover(common, wanted).await,
        AgentCommand::Register(register) => register::run(common, register).await,
        AgentCommand::Renew(renew) => register::renew(common, renew).await,
        AgentCommand::Leave { agent, remote } => register::leave(common, &agent, &remote).await,
        AgentCommand::Team(team) => team::run(common, team).await,
    }
}

fn list_agents<'d>(common: &Common, agents: impl Iterator<Item = XmlElement<'d>>) {
    let mut rows = Vec::new();
    for agent in agents {
        if common.json {
            output::json(&object(agent));
            continue;
        }
        let field = |path| text(agent, path);
        let standing = match field("observed/online").as_str() {
            "false" => "offline".to_owned(),
            _ => field("observed/health"),
        };
        rows.push(vec![
            field("alias"),
            field("name"),
            field("observed/layer"),
            field("domain"),
            field("observed/reach"),
            standing,
            field("observed/endpoint"),
            field("version"),
        ]);
    }
    if !common.json {
        let header = [
            "ALIAS", "NAME", "LAYER", "DOMAIN", "REACH", "HEALTH", "ENDPOINT", "VERSION",
        ];
        line(&output::table(&header, &rows));
    }
}

/// An agent as JSON.
pub(crate) fn object(agent: XmlElement<'_>) -> Value {
    json!({ "event": "agent", "agent": to_json(agent) })
}

async fn discover(common: &Common, wanted: Discover) -> Result<(), Failure> {
    let mut client = connect(common, &wanted.remote).await?;
    let rpc = Node::container(REGISTRY, "discover-agents");
    let rpc = criteria(rpc, &wanted.criteria).leaf("limit", wanted.limit);
    let reply = call(&mut client, &rpc).await?;
    let mut rows = Vec::new();
    for found in reply.body().filter(|e| e.name() == "match") {
        let (name, score, reasons) = (
            text(found, "name"),
            text(found, "score"),
            texts(found, "reason"),
        );
        if common.json {
            let score: u64 = score.parse().unwrap_or(0);
            output::json(&json!({
                "event": "match", "name": name, "score": score, "reasons": reasons,
            }));
        } else {
            rows.push(vec![score, name, cut(&reasons.join("; "), REASONS)]);
        }
    }
    match (common.json, rows.is_empty()) {
        (true, _) => {}
        (false, true) => line("nobody fits"),
        (false, false) => line(&output::table(&["SCORE", "NAME", "REASONS"], &rows)),
    }
    Ok(())
}

/// Adds the elements of discovery criteria to a request.
fn criteria<'a>(node: Node<'a>, criteria: &'a Criteria) -> Node<'a> {
    node.leaf_opt("skill", criteria.skill.as_ref())
        .leaf_list("tag", &criteria.tag)
        .leaf_opt("input-mode", criteria.input.as_ref())
        .leaf_opt("output-mode", criteria.output.as_ref())
        .leaf_opt("domain", criteria.domain.as_ref())
        .leaf_opt("management-object", criteria.object.as_ref())
        .leaf_opt("schema", criteria.schema.as_ref())
        .leaf_opt("text", criteria.text.as_ref())
}

/// Prints an element as an indented outline.
pub(crate) fn show(element: XmlElement<'_>, depth: usize) {
    for child in element.children() {
        let indent = "  ".repeat(depth);
        if child.has_children() {
            line(&format!("{indent}{}", child.name()));
            show(child, depth + 1);
        } else if child.text().contains('\n') {
            line(&format!("{indent}{}:", child.name()));
            child
                .text()
                .lines()
                .for_each(|l| line(&format!("{indent}  | {l}")));
        } else {
            line(&format!("{indent}{}: {}", child.name(), child.text()));
        }
    }
}
