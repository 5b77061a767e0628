//! `convoke cluster`: the nodes that serve a platform, and which of them leads.
//!
//! Any node answers, and passes on to the one that leads. The key is a file, and needs no platform. Read
//! next: `server::cluster_key`, and module convoke-cluster.

use crate::cli::{ClusterCommand, Common, NodeRequestArgs, Remote};
use crate::joining;
use crate::output::{self, Failure, line, table};
use crate::remote::{call, connect, get, leaf, named, selected, text, time};
use netconf::data::Node;
use netconf::xml::{XmlDocument, XmlElement};
use serde_json::{Value, json};
use server::client::Client;
use server::cluster_key::{self, ClusterKeyError};
use server::state::StateFolder;
use std::time::{Duration, Instant};

const NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-cluster";

/// The pause between two looks at what became of a request.
const LOOK: Duration = Duration::from_millis(500);

pub(crate) async fn run(common: &Common, command: ClusterCommand) -> Result<(), Failure> {
    match command {
        ClusterCommand::Status { remote } => status(common, &remote).await,
        ClusterCommand::Drain(request) => {
            let is_done = |seen: &Seen| seen.state_of(&request.node).as_deref() == Some("draining");
            asked(common, &request, "drain-node", is_done).await
        }
        ClusterCommand::Move(request) => {
            let is_done = |seen: &Seen| seen.holder().as_ref() == Some(&request.node);
            asked(common, &request, "move-lead", is_done).await
        }
        ClusterCommand::Sync { from, dry_run } => joining::sync(common, from, dry_run).await,
        ClusterCommand::Key => key(common),
    }
}

/// What a platform tells of its cluster.
struct Seen(XmlDocument);

impl Seen {
    async fn read(client: &mut Client) -> Result<Self, Failure> {
        let filter = Node::container(NAMESPACE, "cluster");
        Ok(Self(get(client, &filter).await?))
    }

    fn cluster(&self) -> Option<XmlElement<'_>> {
        selected(&self.0).find(|top| top.is(NAMESPACE, "cluster"))
    }

    fn each<'s>(&'s self, list: &'s str) -> impl Iterator<Item = XmlElement<'s>> {
        self.cluster()
            .into_iter()
            .flat_map(move |cluster| named(cluster, list))
    }

    /// The node that leads.
    fn holder(&self) -> Option<String> {
        self.each("lead").find_map(|lead| leaf(lead, "holder"))
    }

    fn state_of(&self, node: &str) -> Option<String> {
        let found = self.each("node").find(|it| text(*it, "name") == node)?;
        leaf(found, "state")
    }

    fn json(&self) -> Value {
        let is = |node, name| leaf(node, name).map(|text| text == "true");
        let nodes = self.each("node").map(|node| {
            json!({
                "name": text(node, "name"),
                "address": text(node, "address"),
                "version": text(node, "version"),
                "state": text(node, "state"),
                "rules_agree": is(node, "rules-agree"),
                "started": text(node, "started"),
                "last_seen": text(node, "last-seen"),
                "subscribers": number(node, "subscribers"),
                "lag_events": number(node, "lag-events"),
                "lag_ms": number(node, "lag-time"),
            })
        });
        let lead = self.each("lead").map(|lead| {
            json!({
                "shards": text(lead, "shards"),
                "holder": text(lead, "holder"),
                "epoch": number(lead, "epoch"),
                "since": text(lead, "since"),
                "until": text(lead, "until"),
            })
        });
        json!({
            "event": "cluster",
            "nodes": nodes.collect::<Vec<_>>(),
            "lead": lead.collect::<Vec<_>>(),
            "takeovers": self.cluster().and_then(|cluster| number(cluster, "takeovers")),
        })
    }

    fn table(&self) -> String {
        let row = |node| {
            let rules = match leaf(node, "rules-agree").as_deref() {
                Some("true") => "agree",
                _ => "differ",
            };
            let of = |name| text(node, name);
            vec![
                of("name"),
                of("state"),
                rules.to_owned(),
                of("address"),
                of("version"),
                of("started"),
                of("last-seen"),
                behind(node),
            ]
        };
        let rows: Vec<Vec<String>> = self.each("node").map(row).collect();
        let header = [
            "NODE", "STATE", "RULES", "ADDRESS", "VERSION", "STARTED", "SEEN", "BEHIND",
        ];
        table(&header, &rows)
    }

    /// Who leads, in a sentence.
    fn words(&self) -> String {
        let lead = self.each("lead").next();
        lead.map_or_else(
            || "Nobody leads.".to_owned(),
            |lead| {
                let (holder, epoch) = (text(lead, "holder"), text(lead, "epoch"));
                let since = time(lead, "since");
                let takeovers = self.cluster().map_or(String::new(), |it| text(it, "takeovers"));
                format!(
                    "{holder} leads since {since}, in epoch {epoch}; take-overs since its start: {takeovers}."
                )
            },
        )
    }
}

fn number(node: XmlElement<'_>, name: &str) -> Option<u64> {
    text(node, name).parse().ok()
}

/// How far the slowest subscriber at a node is behind.
fn behind(node: XmlElement<'_>) -> String {
    let (late, events) = (number(node, "lag-time"), number(node, "lag-events"));
    late.zip(events).map_or(String::new(), |(late, events)| {
        format!("{late} ms, {events} events")
    })
}

async fn status(common: &Common, remote: &Remote) -> Result<(), Failure> {
    let mut client = connect(common, remote).await?;
    let seen = Seen::read(&mut client).await?;
    if seen.cluster().is_none() {
        let why = "the platform is no node of a cluster, or does not let you see it";
        return Err(Failure::refused(why));
    }
    match common.json {
        true => output::json(&seen.json()),
        false => {
            line(&seen.table());
            line(&seen.words());
        }
    }
    Ok(())
}

/// Asks a node for something, and waits until it is done.
async fn asked(
    common: &Common,
    request: &NodeRequestArgs,
    rpc: &str,
    is_done: impl Fn(&Seen) -> bool,
) -> Result<(), Failure> {
    let mut client = connect(common, &request.remote).await?;
    let node = Node::container(NAMESPACE, rpc).leaf("node", &request.node);
    call(&mut client, &node).await?;
    let until = Instant::now() + Duration::from_secs(request.wait);
    loop {
        let is_over = Instant::now() >= until;
        match Seen::read(&mut client).await {
            Ok(seen) if is_over || is_done(&seen) => {
                let done = is_done(&seen);
                return told(common, &seen, request, done);
            }
            Ok(_) => tokio::time::sleep(LOOK).await,
            // Whoever passes sessions on may lose this one with the lead.
            Err(lost) if lost.is_unreachable() && !is_over => {
                tokio::time::sleep(LOOK).await;
                if let Ok(again) = connect(common, &request.remote).await {
                    client = again;
                }
            }
            Err(failure) => return Err(failure),
        }
    }
}

fn told(
    common: &Common,
    seen: &Seen,
    request: &NodeRequestArgs,
    done: bool,
) -> Result<(), Failure> {
    if !done && request.wait > 0 {
        let (node, wait) = (&request.node, request.wait);
        let why = format!(
            "node '{node}' was asked, and it was not done within {wait} s: {}",
            seen.words()
        );
        return Err(Failure::failed(why));
    }
    match common.json {
        true => output::json(&seen.json()),
        false => line(&seen.words()),
    }
    Ok(())
}

fn key(common: &Common) -> Result<(), Failure> {
    let folder = StateFolder::new(&common.state);
    let (key, is_new) = cluster_key::load_or_make(&folder)?;
    let (file, digest) = (folder.cluster_key(), key.digest());
    match common.json {
        true => output::json(&json!({
            "event": "cluster-key",
            "file": file.display().to_string(),
            "digest": digest,
            "new": is_new,
        })),
        false => {
            let made = if is_new { " (new)" } else { "" };
            line(&format!("{}{made}  {digest}", file.display()));
        }
    }
    Ok(())
}

impl From<ClusterKeyError> for Failure {
    fn from(error: ClusterKeyError) -> Self {
        let message = error.to_string();
        match error {
            ClusterKeyError::File { .. } | ClusterKeyError::Chance(_) => Self::failed(message),
            ClusterKeyError::OpenToOthers(_) | ClusterKeyError::Format(_) => Self::refused(message),
        }
    }
}
