//! `convoke fault inject`: something breaks in the simulated network of a running platform.

use crate::cli::{Common, FaultCommand};
use crate::output::{self, Failure, line};
use crate::remote::connect;
use netconf::xml::write::leaf;
use serde_json::json;

const NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-simulation";

pub(crate) async fn run(common: &Common, command: FaultCommand) -> Result<(), Failure> {
    let FaultCommand::Inject { fault, remote } = command;
    let (kind, element) = fault.split_once(':').unwrap_or((&fault, ""));
    let mut input = Vec::new();
    leaf("kind", kind, &mut input);
    if !element.is_empty() {
        leaf("element", element, &mut input);
    }
    let input = String::from_utf8_lossy(&input);
    let mut client = connect(common, &remote).await?;
    let reply = client
        .call(&format!(
            "<inject-fault xmlns=\"{NAMESPACE}\">{input}</inject-fault>"
        ))
        .await?;
    let text = |name: &str| {
        reply
            .body()
            .find(|e| e.name() == name)
            .map_or_else(String::new, |e| e.text().to_owned())
    };
    if common.json {
        output::json(
            &json!({ "event": "fault", "kind": text("kind"), "element": text("element") }),
        );
    } else {
        line(&format!("{} at {}", text("kind"), text("element")));
    }
    Ok(())
}
