//! Foreign clients at a platform of three nodes, behind a load balancer: each connection is at the next node, so that a
//! client with several has sessions at all, the one that leads among them. What they are to be told is what one process
//! tells.
//!
//! The network is one that another `convoke` simulates and manages. Skipped, and said so, without PostgreSQL. Read next:
//! `foreign/mod.rs`, `cluster.rs`.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod foreign;
mod support;

use foreign::{a2a, mcp, netconf, restconf, telecom};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Instant;
use support::entrance::Entrance;
use support::foreign::root;
use support::process::{Running, binary, run};
use support::proxy::Proxy;
use support::{block_on, http, within};
use tempfile::TempDir;
use testkit::postgres::{Server, Setting};

/// How many times as fast as time passes network and platform run: agents take minutes for a diagnosis.
const SPEED: &str = "100";

/// What breaks when an agent that was asked for incidents is to tell of one, and an OSS is to find why sites are out. The
/// link is named by alarms of both its ends and of routing, of which a management system may lose one.
const BROKEN: (&str, &str) = ("fibre-cut", "link:Lodz-LO-001");

/// A network without events and its management systems, at a platform in which nobody works on it.
struct Field {
    running: Running,
    folder: TempDir,
}

impl Field {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let profiles = folder.path().join("profiles");
        std::fs::create_dir(&profiles).unwrap();
        // Tasks that name nobody must have somebody; without the others nobody mends anything.
        let oss = "oss-fault.toml";
        let shipped = root().join("crates/showcase/agents/profiles").join(oss);
        std::fs::copy(shipped, profiles.join(oss)).unwrap();
        let profiles = profiles.to_str().unwrap();
        let nobody = &["serve", "--http", "off", "--profiles", profiles][..];
        let network = ["--network", "Polska", "--sites", "12", "--speed", SPEED];
        let serve = [nobody, &network].concat();
        let running = Running::start(&folder.path().join("state"), &serve).await;
        Self { running, folder }
    }

    /// The file that names its management systems.
    fn systems(&self) -> PathBuf {
        let state = self.running.state();
        let mut text = String::new();
        for (name, domain) in [
            ("wireless", "Wireless"),
            ("ip", "IP"),
            ("customer", "Service"),
        ] {
            let mut listeners = self.running.ready["listeners"].as_array().unwrap().iter();
            let address = &listeners.find(|it| it["ems"] == name).unwrap()["address"];
            writeln!(
                text,
                "[[ems]]\nname = '{name}'\naddress = {address}\nuser = 'operator'\nkey = '{key}'\n\
                 known-hosts = '{known}'\ndomain = '{domain}'\n",
                key = state.join("operator_ed25519").display(),
                known = state.join("known_hosts").display(),
            )
            .unwrap();
        }
        let file = self.folder.path().join("ems.toml");
        std::fs::write(&file, text).unwrap();
        file
    }

    /// A command that breaks something.
    fn breaks(&self, (cause, element): (&str, &str)) -> Value {
        let fault = format!("{cause}:{element}");
        let (state, address) = (self.running.state(), self.running.address());
        json!([
            binary(),
            "fault",
            "inject",
            fault,
            "--state",
            state,
            "--netconf",
            address
        ])
    }
}

/// Three nodes of which the first leads, and a load balancer before their NETCONF and one before their HTTP servers.
struct Nodes {
    nodes: Vec<(Running, TempDir)>,
    entrance: Entrance,
    _balancers: [Proxy; 2],
}

impl Nodes {
    async fn start(store: &str, systems: &Path) -> Self {
        let [netconf, http] = [balancer().await, balancer().await];
        // Cards name what outlives each of the nodes.
        let settings = format!(
            "[a2a]\nurl = 'http://{}'\n[webhook]\nallow = ['https://hook.example']\n",
            http.address()
        );
        let common = format!(
            "--cluster-listen 127.0.0.1:0 --speed {SPEED} --ems {}",
            systems.display()
        );
        let start = async |name: &str, begins: String, told: &str| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("convoke.toml"), &settings).unwrap();
            let serve = format!("serve --node {name} {common} {begins}");
            let serve: Vec<&str> = serve.split(' ').collect();
            let mut node = Running::start(folder.path(), &serve).await;
            node.told(told).await;
            (node, folder)
        };
        let first = start("a", format!("--store {store}"), "leading").await;
        let key = first.1.path().join("cluster_key");
        let join = format!(
            "--join {} --cluster-key {}",
            channel(&first.0).await,
            key.display()
        );
        let (second, third) = tokio::join!(
            start("b", join.clone(), "standing-by"),
            start("c", join.clone(), "standing-by")
        );
        let nodes = vec![first, second, third];
        let addresses = |of: fn(&Entrance) -> &str| {
            nodes.iter().map(move |(node, _)| of(node).parse().unwrap())
        };
        netconf.balance(addresses(Entrance::address).collect());
        http.balance(addresses(Entrance::http).collect());
        let entrance = nodes[0].0.behind(netconf.address(), http.address());
        Self {
            nodes,
            entrance,
            _balancers: [netconf, http],
        }
    }

    /// Has the last lead once the example of an OSS has assigned something, whose session goes on.
    async fn lead_moves_while_it_asks(&self) {
        let open = ["task", "list", "--open", "--party", "operator"];
        let assigned = async {
            while !self
                .entrance
                .client(&open)
                .await
                .well()
                .stdout
                .contains("oss-")
            {}
        };
        within("something assigned", assigned).await;
        self.entrance.client(&["cluster", "move", "c"]).await.well();
    }

    async fn end(self) {
        for (node, _) in self.nodes.into_iter().rev() {
            assert_eq!(node.stop().await.code(), Some(0));
        }
    }
}

/// Leads nowhere yet.
async fn balancer() -> Proxy {
    Proxy::before((Ipv4Addr::LOCALHOST, 1).into(), 0).await
}

/// The address by which others join a node that leads alone.
async fn channel(node: &Running) -> String {
    let status = node.client(&["cluster", "status", "--json"]).await.well();
    status.json()[0]["nodes"][0]["address"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// A card is the same at each node, and names the load balancer.
async fn a_card_is_the_same_at_each_node(nodes: &Nodes) {
    let url = format!("http://{}{}", nodes.entrance.http(), a2a::IP);
    for (node, _) in &nodes.nodes {
        let card = http::get(
            node.http(),
            &format!("{}/.well-known/agent-card.json", a2a::IP),
            None,
        )
        .await;
        let card = card.json();
        let interfaces = card["supportedInterfaces"].as_array().unwrap();
        let is_balancers = |it: &Value| it["url"] == url.as_str();
        let are_all = !interfaces.is_empty() && interfaces.iter().all(is_balancers);
        assert!(are_all, "{card}");
    }
}

#[test]
fn three_nodes_serve_foreign_clients_as_one_process_does() {
    let Some(server) = Server::start(&Setting {
        fsync: true,
        tls: false,
    }) else {
        return;
    };
    let database = server.database();
    block_on(async {
        let field = Field::start().await;
        let nodes = Nodes::start(&database.by_socket(), &field.systems()).await;
        let platform = &nodes.entrance;
        let begun = Instant::now();
        let passed = |client: &str| println!("{client} after {:?}", begun.elapsed());

        netconf::ncclient_reads_locks_negotiates_and_subscribes(platform).await;
        passed("ncclient");
        netconf::netconf_client_pipelines_in_chunks(platform).await;
        passed("netconf-client");
        netconf::netconf_console_says_hello_gets_and_calls(platform).await;
        passed("netconf-console2");
        netconf::yangcli_learns_the_model_from_the_server_and_uses_it(platform).await;
        passed("yangcli");
        netconf::openssh_carries_a_conversation_in_base_1_0(platform).await;
        netconf::netconf_rs_pads_its_hello_and_is_understood(platform).await;
        passed("OpenSSH and netconf-rs");
        netconf::the_example_reads_the_agents(platform).await;
        passed("an example");
        restconf::what_comes_is_what_the_modules_say(platform).await;
        passed("yangson");
        mcp::the_official_python_sdk_is_served(platform).await;
        passed("the SDK of MCP");
        a_card_is_the_same_at_each_node(&nodes).await;
        let token = run(platform.state(), &["token", "issue", "--valid", "30d"])
            .await
            .well();
        let token = token.stdout.trim_end();
        a2a::the_official_python_sdk_is_served(platform, token).await;
        passed("the SDK of A2A in Python");
        a2a::the_official_javascript_sdks_are_served(platform, token).await;
        passed("those in JavaScript");
        telecom::the_sdk_of_a2a_t_is_served(platform, &field.breaks(BROKEN)).await;
        passed("the SDK of A2A-T");
        let oss = netconf::the_example_of_an_oss_finds_what_is_broken(platform, BROKEN);
        tokio::join!(oss, nodes.lead_moves_while_it_asks());
        passed("the example of an OSS, across a move of the lead");

        nodes.end().await;
    });
}
