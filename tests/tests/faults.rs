//! Injected faults: each cause by NETCONF over SSH in a platform with a running network, the
//! agents' reaction, and the access rules; and spontaneous faults, from the command line.
//!
//! The effect of each cause on the network is tested in `network`, the errors in
//! `tests/conformance/inject-fault-*`. Read next: `arena::faults`.

#![allow(clippy::unwrap_used)]

mod support;

use arena::World;
use arena::judge::SimulationJudge;
use arena::score::{self, InvestigationScore};
use arena::stage;
use domain::cause::Cause;
use domain::time::Timestamp;
use network::Truth;
use serde_json::Value;
use server::client::{CallError, Client, Identity};
use server::host::{Endpoint, Home, Host};
use server::runtime::Pace;
use server::state::StateFolder;
use std::sync::Arc;
use support::process::{Running, run};
use support::{block_on, polska, within, world};

const SIMULATION: &str = "urn:convoke:params:xml:ns:yang:convoke-simulation";
const HOUR_S: f64 = 3_600.0;

/// A platform behind SSH whose network runs as fast as its agents work.
struct Drill {
    folder: tempfile::TempDir,
    host: Arc<Host>,
    world: World,
}

impl Drill {
    /// Starts a platform with this `access.toml`; the shipped one if there is none.
    async fn begin(access: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        if let Some(access) = access {
            std::fs::write(folder.path().join("access.toml"), access).unwrap();
        }
        let settings = polska();
        let now = Timestamp::parse("2026-11-22T10:00:00Z").unwrap();
        let simulation = stage::served(&settings, now).unwrap().unwrap();
        let home = Home::Folder(StateFolder::new(folder.path()));
        let mut world = world(home, &settings, simulation).await;
        let host = Arc::clone(world.host());
        let backbone = stage::topology(settings.network.as_deref().unwrap()).unwrap();
        let judge = SimulationJudge::on(backbone);
        world.network_mut().judged_by(judge);
        world.begin().await;
        Self {
            folder,
            host,
            world,
        }
    }

    /// The reply to an RPC of convoke-simulation; the network pauses meanwhile.
    async fn says(&mut self, user: &str, rpc: &str, input: &str) -> Result<String, CallError> {
        let address = self.host.address_of(&Endpoint::Platform).unwrap();
        let operator = Identity::operator(self.folder.path());
        let who = match user {
            "operator" => operator,
            agent => Identity {
                user: agent.to_owned(),
                key: self.folder.path().join(format!("keys/{agent}_ed25519")),
                ..operator
            },
        };
        let call = format!("<{rpc} xmlns=\"{SIMULATION}\">{input}</{rpc}>");
        let mut said = None;
        let asked = async {
            let mut client = Client::connect(&address.to_string(), &who).await.unwrap();
            let reply = client.call(&call).await;
            said = Some(reply.map(|reply| reply.document.root().standalone()));
        };
        within("an answer", self.world.live(asked)).await;
        said.unwrap()
    }

    fn truth(&self) -> &Truth {
        self.world.network().simulation().truth().last().unwrap()
    }

    /// Runs the network until its last fault is over, or for so many hours.
    async fn until_over(&mut self, hours: f64) {
        let until = self.host.clock.now().plus_s(hours * HOUR_S);
        let over = |world: &World| {
            let truths = world.network().simulation().truth();
            truths.last().unwrap().restored_at.is_some()
        };
        self.world.run(Pace::Unhurried, until, over).await;
    }

    /// Runs the network for so many hours more.
    async fn rest(&mut self, hours: f64) {
        let until = self.host.clock.now().plus_s(hours * HOUR_S);
        self.world.run(Pace::Unhurried, until, |_| false).await;
    }

    fn found(&self) -> InvestigationScore {
        let inventory = self.world.network().simulation().inventory();
        score::found(
            &inventory,
            self.truth(),
            &score::RunFindings::of(&self.world).cases,
        )
    }
}

/// Every cause of fault leads to work of agents, and is diagnosed correctly. Of foreign power agents are wary,
/// and miss more of it than they find: one of several in turn is enough.
#[test]
fn agents_find_every_cause_that_is_injected() {
    block_on(async {
        let mut drill = Drill::begin(None).await;
        let mut number = 0;
        for cause in Cause::simulated() {
            let terms = match cause {
                Cause::OpticalModuleAgeing => "<duration>5400</duration>",
                _ => "",
            };
            let mut tries = if cause == Cause::Interference { 6 } else { 1 };
            loop {
                number += 1;
                let input = format!("<kind>{cause}</kind>{terms}");
                let said = drill.says("operator", "inject-fault", &input).await;
                let said = said.unwrap();
                assert!(said.contains(&format!(">{number}<")), "{said}");
                assert_eq!(drill.truth().fault.kind, cause);
                drill.until_over(12.0).await;
                drill.rest(0.5).await;
                tries -= 1;
                let (found, truth) = (drill.found(), drill.truth());
                if found.located_s.is_some() {
                    assert!(truth.restored_at.is_some(), "{truth:?}");
                    break;
                }
                assert!(tries > 0, "{truth:?} {found:?}");
                let ended = format!("<id>{number}</id>");
                drill.says("operator", "clear-fault", &ended).await.unwrap();
            }
        }
    });
}

/// What is served is what the referee of whole days says of the same tasks.
#[test]
fn what_was_found_is_scored_as_whole_days_are() {
    block_on(async {
        let mut drill = Drill::begin(None).await;
        let nothing = drill.says("operator", "score-faults", "").await.unwrap();
        assert!(!nothing.contains("<fault"), "{nothing}");
        let broken = "<kind>router-failure</kind>";
        drill
            .says("operator", "inject-fault", broken)
            .await
            .unwrap();
        let begun = drill.says("operator", "score-faults", "").await.unwrap();
        assert!(begun.contains("<outcome>nothing</outcome>"), "{begun}");
        drill.until_over(12.0).await;
        drill.rest(0.5).await;
        let said = drill.says("operator", "score-faults", "").await.unwrap();
        let (found, truth) = (drill.found(), drill.truth());
        let seconds = |s: Option<f64>| s.unwrap().round() as u64;
        let since = |at: Timestamp| Some(at.seconds_since(truth.fault.at));
        for (leaf, value) in [
            ("outcome", "right".to_owned()),
            ("found-kind", "router-failure".to_owned()),
            ("found-element", truth.fault.element.to_string()),
            ("wrong-findings", "0".to_owned()),
            ("time-to-locate", seconds(found.located_s).to_string()),
            (
                "time-to-mend",
                seconds(truth.repaired_at.and_then(since)).to_string(),
            ),
            (
                "time-to-restore",
                seconds(truth.restored_at.and_then(since)).to_string(),
            ),
            ("closed-too-early", "0".to_owned()),
        ] {
            assert!(
                said.contains(&format!("<{leaf}>{value}</{leaf}>")),
                "{leaf} {value}: {said}"
            );
        }
    });
}

/// No agent's credential gives access to the truth, even if access rules permit everything.
#[test]
fn the_truth_is_denied_to_agents_whatever_the_rules_say() {
    block_on(async {
        for access in [None, Some("enable-nacm = false\n")] {
            let mut drill = Drill::begin(access).await;
            let cut = "<kind>fibre-cut</kind>";
            drill.says("operator", "inject-fault", cut).await.unwrap();
            for user in ["TMF-Convoke-OSS-1.0.0", "TMF-Convoke-Wireless-1.0.0"] {
                for (rpc, input) in [
                    ("inject-fault", cut),
                    ("list-faults", "<ended>true</ended>"),
                    ("clear-fault", "<id>1</id>"),
                    ("score-faults", ""),
                    ("compare-day", "<first>none</first><second>none</second>"),
                    ("get-comparison", ""),
                    ("end-comparison", ""),
                ] {
                    let refused = drill.says(user, rpc, input).await.unwrap_err();
                    let CallError::Refused(errors) = refused else {
                        panic!("{refused:?}");
                    };
                    assert_eq!(errors[0].tag.as_str(), "access-denied", "{user} {rpc}");
                }
            }
            assert_eq!(drill.world.network().simulation().truth().len(), 1);
            assert_eq!(drill.truth().repaired_at, None);
        }
    });
}

/// The network has spontaneous faults, and agents work on them.
#[test]
fn a_network_that_lives_breaks_by_itself() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let settings =
            "network = 'Polska'\nsites = 60\nspeed = 600\n[life]\nfaults = 100\ndrivers = 20\n";
        std::fs::write(state.path().join("convoke.toml"), settings).unwrap();
        let running = Running::start(state.path(), &["serve"]).await;
        let watched = running
            .client(&["watch", "--json", "--count", "3"])
            .await
            .well();
        assert_eq!(watched.json().len(), 3, "{}", watched.stdout);
        let mut faults = Vec::new();
        let listing = async {
            while faults.is_empty() {
                faults = running
                    .client(&["fault", "list", "--all", "--json"])
                    .await
                    .well()
                    .json();
            }
        };
        within("a fault of its own", listing).await;
        let first = &faults[0];
        assert_eq!(
            (&first["event"], &first["id"]),
            (&"fault".into(), &1.into())
        );
        assert!(Cause::parse(first["kind"].as_str().unwrap()).is_some());
        assert!(running.stop().await.success());
    });
}

/// Command line: kinds and elements are completed and checked, faults listed and repaired.
#[test]
fn faults_are_broken_listed_and_mended_from_the_command_line() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let serve = ["serve", "--network", "Polska", "--sites", "30"];
        let running = Running::start(state.path(), &serve).await;
        let nothing = running.client(&["fault", "list"]).await.well();
        assert_eq!(nothing.stdout, "Nothing is broken.\n");

        let inject = ["fault", "inject", "--json", "router-failure:Lodz"];
        let broken = running.client(&inject).await.well().json();
        assert_eq!(broken[0]["element"], "router:Lodz");
        let storm = ["fault", "inject", "mains-failure", "--duration", "2h"];
        let told = running.client(&storm).await.well().stdout;
        assert!(told.starts_with("2: mains-failure at zone:"), "{told}");
        let list = running.client(&["fault", "list"]).await.well().stdout;
        let rows: Vec<&str> = list.lines().collect();
        assert!(
            rows[0].starts_with("ID") && rows[1].contains("broken"),
            "{list}"
        );
        assert_eq!(rows.len(), 3, "{list}");

        let cleared = running.client(&["fault", "clear", "1"]).await.well();
        assert_eq!(cleared.stdout, "1 is mended\n");
        running.client(&["fault", "clear", "1"]).await.with_code(3);
        let left = running
            .client(&["fault", "list", "--json"])
            .await
            .well()
            .json();
        let of = |id: u64| left.iter().find(|fault| fault["id"] == id);
        assert!(
            of(1).is_none_or(|fault| fault["repaired"] != Value::Null),
            "{left:?}"
        );
        assert!(
            of(2).is_some_and(|fault| fault["repaired"] == Value::Null),
            "{left:?}"
        );

        for (what, code) in [
            (&["flood"][..], 2),
            (&["router-failure:link:Lodz"], 3),
            (&["random:Lodz"], 2),
            (&["mains-failure", "--duration", "59s"], 2),
            (&["router-failure:Atlantis"], 3),
            (&["fibre-cut", "--duration", "2h"], 3),
            (&["mains-failure", "--severity", "major"], 3),
        ] {
            let inject = [&["fault", "inject"][..], what].concat();
            running.client(&inject).await.with_code(code);
        }
        let agent = ["fault", "list", "--user", "TMF-Convoke-OSS-1.0.0"];
        let denied = running.client(&agent).await.with_code(3);
        assert!(
            denied.stderr.contains("may not execute"),
            "{}",
            denied.stderr
        );
        assert!(running.stop().await.success());
    });
}

#[test]
fn speed_and_life_are_checked_before_anything_starts() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let check = async |settings: &str, code: i32, why: &str| {
            std::fs::write(state.path().join("convoke.toml"), settings).unwrap();
            let checked = run(state.path(), &["config", "check"])
                .await
                .with_code(code);
            assert!(checked.stderr.contains(why), "{}", checked.stderr);
        };
        check("[life]\n", 0, "").await;
        check(
            "[life]\nfaults = 101\n",
            2,
            "faults of [life] is 101; it must be 0 to 100",
        )
        .await;
        check("speed = 0.1\n", 2, "speed is 0.1; it must be 1 to 600").await;
        check("[life]\nstorms = 1\n", 2, "unknown field").await;
        std::fs::remove_file(state.path().join("convoke.toml")).unwrap();
        let serve = ["serve", "--speed", "601", "--life"];
        let refused = run(state.path(), &serve).await.with_code(2);
        assert!(
            refused.stderr.contains("speed is 601"),
            "{}",
            refused.stderr
        );
    });
}
