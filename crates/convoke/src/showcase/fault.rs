//! `convoke fault`: injects, lists and repairs faults in the simulated network of a running
//! platform.
//!
//! The platform decides which terms a kind of fault may have. Read next: [`crate::cli`]'s
//! `fault.rs`.

use crate::cli::{Common, FaultCommand, Inject, Remote};
use crate::output::{self, Failure, line};
use crate::remote::{call, connect, text};
use netconf::client::Reply;
use netconf::data::Node;
use netconf::xml::XmlElement;
use serde_json::{Value, json};

const NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-simulation";

pub(crate) async fn run(common: &Common, command: FaultCommand) -> Result<(), Failure> {
    match command {
        FaultCommand::Inject(wanted) => inject(common, &wanted).await,
        FaultCommand::List { all, remote } => list(common, all, &remote).await,
        FaultCommand::Clear { id, remote } => clear(common, id, &remote).await,
    }
}

async fn inject(common: &Common, wanted: &Inject) -> Result<(), Failure> {
    let kind = wanted.what.kind.map_or("random", |kind| kind.as_str());
    let element = wanted.what.element.as_ref().map(|e| e.as_str());
    let severity = wanted.severity.map(|degree| degree.0.as_str());
    let rpc = Node::container(NAMESPACE, "inject-fault")
        .leaf("kind", kind)
        .leaf_opt("element", element)
        .leaf_opt("duration", wanted.duration)
        .leaf_opt("severity", severity);
    let reply = ask(common, &wanted.remote, &rpc).await?;
    let fault = reply.document.root();
    if common.json {
        output::json(&told(fault));
        return Ok(());
    }
    let field = |name| text(fault, name);
    line(&format!(
        "{}: {} at {}",
        field("id"),
        field("kind"),
        field("element")
    ));
    Ok(())
}

async fn list(common: &Common, all: bool, remote: &Remote) -> Result<(), Failure> {
    let mut rpc = Node::container(NAMESPACE, "list-faults");
    if all {
        rpc = rpc.leaf("ended", true);
    }
    let reply = ask(common, remote, &rpc).await?;
    let faults = reply.body().filter(|e| e.name() == "fault");
    if common.json {
        for fault in faults {
            output::json(&told(fault));
        }
        return Ok(());
    }
    let rows: Vec<Vec<String>> = faults.map(row).collect();
    match rows.is_empty() {
        true => line("Nothing is broken."),
        false => {
            let header = ["ID", "KIND", "ELEMENT", "BEGAN", "SITES OUT", "STATE"];
            line(&output::table(&header, &rows));
        }
    }
    Ok(())
}

/// A fault as JSON; what is unknown or has not happened is null.
fn told(fault: XmlElement<'_>) -> Value {
    let field = |name| Some(text(fault, name)).filter(|text| !text.is_empty());
    let number = |name| field(name).and_then(|text| text.parse::<u64>().ok());
    json!({
        "event": "fault",
        "id": number("id"),
        "kind": field("kind"),
        "element": field("element"),
        "began": field("began"),
        "repaired": field("repaired"),
        "restored": field("restored"),
        "sites_out": number("sites-out"),
    })
}

fn row(fault: XmlElement<'_>) -> Vec<String> {
    let field = |name| text(fault, name);
    let state = match (field("repaired").is_empty(), field("restored").is_empty()) {
        (true, _) => "broken".to_owned(),
        (false, true) => "mended, sites still out".to_owned(),
        (false, false) => format!("over since {}", field("restored")),
    };
    let mut row: Vec<String> = ["id", "kind", "element", "began", "sites-out"]
        .map(field)
        .into();
    row.push(state);
    row
}

async fn clear(common: &Common, id: u32, remote: &Remote) -> Result<(), Failure> {
    let rpc = Node::container(NAMESPACE, "clear-fault").leaf("id", id);
    ask(common, remote, &rpc).await?;
    match common.json {
        true => output::json(&json!({ "event": "cleared", "id": id })),
        false => line(&format!("{id} is mended")),
    }
    Ok(())
}

async fn ask(common: &Common, remote: &Remote, rpc: &Node<'_>) -> Result<Reply, Failure> {
    let mut client = connect(common, remote).await?;
    call(&mut client, rpc).await
}
