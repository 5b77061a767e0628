//! `convoke agent`: who is registered.

use crate::cli::{AgentCommand, Common};
use crate::output::{self, Failure, line};
use crate::remote::{agent_name, connect, entries, registry, text, to_json};
use serde_json::json;

pub(crate) async fn run(common: &Common, command: AgentCommand) -> Result<(), Failure> {
    match command {
        AgentCommand::List(remote) => {
            let mut client = connect(common, &remote).await?;
            let document = registry(&mut client, "<agent/>").await?;
            let mut rows = Vec::new();
            for agent in entries(&document, "agent") {
                if common.json {
                    output::json(&json!({ "event": "agent", "agent": to_json(agent) }));
                }
                let field = |path| text(agent, path);
                rows.push(vec![
                    field("alias"),
                    field("name"),
                    field("observed/layer"),
                    field("domain"),
                    field("observed/endpoint"),
                    field("version"),
                ]);
            }
            if !common.json {
                let header = ["ALIAS", "NAME", "LAYER", "DOMAIN", "ENDPOINT", "VERSION"];
                line(&output::table(&header, &rows));
            }
            Ok(())
        }
        AgentCommand::Show { agent, remote } => {
            let mut client = connect(common, &remote).await?;
            let name = agent_name(&mut client, &agent).await?;
            let mut escaped = Vec::new();
            netconf::xml::write::text(&name, &mut escaped);
            let filter = format!(
                "<agent><name>{}</name></agent>",
                String::from_utf8_lossy(&escaped)
            );
            let document = registry(&mut client, &filter).await?;
            for agent in entries(&document, "agent") {
                if common.json {
                    output::json(&json!({ "event": "agent", "agent": to_json(agent) }));
                } else {
                    show(agent, 0);
                }
            }
            Ok(())
        }
    }
}

/// An element as an indented outline.
pub(crate) fn show(element: netconf::xml::Element<'_>, depth: usize) {
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
