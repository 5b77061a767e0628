//! `convoke serve` and `convoke config check`: the platform without the story.

use crate::cli::{Common, ConfigCommand, Platform as PlatformFlags, Serve};
use crate::output::{self, Failure, line};
use serde_json::json;
use server::clock::Clock;
use server::config::Settings;
use server::host::Endpoint;
use server::host::{Home, Host};
use server::stage::{network, topology};
use server::state::StateFolder;
use server::world::World;
use std::sync::Arc;

/// The settings that flags and environment give, above those of the file.
pub(crate) fn settings_of(
    common: &Common,
    flags: &PlatformFlags,
    network: Option<String>,
    seed: Option<u64>,
) -> Result<Settings, Failure> {
    if flags.http.is_some() {
        return Err(Failure::usage(
            "--http: HTTP (A2A, metrics, dashboard) is not offered by this version",
        ));
    }
    let given = Settings {
        netconf: flags.netconf,
        agents_from: flags.agents_from,
        seed,
        network,
        sites: flags.sites,
        profiles: flags.profiles.clone(),
        ..Settings::default()
    };
    let folder = StateFolder::new(&common.state);
    let file = Settings::load(&folder).map_err(|e| Failure::usage(e.to_string()))?;
    Ok(given.over(file))
}

pub(crate) async fn run(common: &Common, serve: Serve) -> Result<(), Failure> {
    let settings = settings_of(common, &serve.platform, serve.network, serve.seed)?;
    let folder = StateFolder::new(&common.state);
    let clock = Arc::new(Clock::wall());
    let simulation = match settings.network.as_deref() {
        Some("none") => None,
        name => {
            let topology = topology(name.unwrap_or("Germany50"))?;
            let (sites, seed) = (settings.sites.unwrap_or(300), settings.seed.unwrap_or(1));
            Some(network(&topology, sites, seed, clock.now()))
        }
    };
    let inventory = simulation
        .as_ref()
        .map(|s| s.inventory())
        .unwrap_or_default();
    let host = Arc::new(Host::start(Home::Folder(folder), &settings, inventory, clock).await?);
    let mut world = World::new(Arc::clone(&host), simulation, Box::new(|_| {}));
    world.begin().await;
    announce(common, &host);
    let ended = asked_to_end()?;
    let mut failed = false;
    let stop = async {
        tokio::select! {
            () = ended => {}
            () = host.failed() => failed = true,
        }
    };
    world.live(stop).await;
    drop(host);
    world.end().await;
    match failed {
        true => Err(Failure::failed(
            "the store failed: nothing more can be promised",
        )),
        false => Ok(()),
    }
}

/// Resolves when somebody wants the platform to end: Ctrl-C, or SIGTERM.
pub(crate) fn asked_to_end() -> Result<impl Future<Output = ()>, Failure> {
    let terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
    let mut terminated = terminated.map_err(|e| Failure::failed(e.to_string()))?;
    Ok(async move {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated.recv() => {}
        }
    })
}

/// One line per listener, or one object with them all: the platform is ready.
pub(crate) fn announce(common: &Common, host: &Host) {
    let key = common.state.join("operator_ed25519");
    if common.json {
        let listeners: Vec<_> = host
            .listening
            .iter()
            .map(|l| {
                let (what, name) = match &l.endpoint {
                    Endpoint::Ems(ems) => ("ems", ems.as_str()),
                    Endpoint::Platform | Endpoint::Agent(_) => ("agent", l.agent.as_str()),
                };
                json!({ "protocol": "netconf-ssh", what: name, "address": l.address.to_string() })
            })
            .collect();
        output::json(&json!({
            "event": "ready", "listeners": listeners, "user": "operator", "key": key.display().to_string(),
        }));
        return;
    }
    for listening in &host.listening {
        let what = match &listening.endpoint {
            Endpoint::Platform => "platform".to_owned(),
            Endpoint::Agent(name) => name.clone(),
            Endpoint::Ems(ems) => format!("ems: {}", ems.as_str()),
        };
        line(&format!(
            "netconf-ssh  {:<21}  {what}",
            listening.address.to_string()
        ));
    }
    line(&format!("user operator, key {}\n", key.display()));
}

pub(crate) fn config(common: &Common, command: ConfigCommand) -> Result<(), Failure> {
    let ConfigCommand::Check = command;
    let folder = StateFolder::new(&common.state);
    let advice = server::check_files(&folder).map_err(|error| Failure::usage(error.to_string()))?;
    if common.json {
        let state = common.state.display().to_string();
        output::json(&json!({ "event": "checked", "state": state, "advice": advice }));
    } else {
        for advice in &advice {
            line(&format!("advice: {advice}"));
        }
        line(&format!(
            "{}: settings, access rules and profiles are usable",
            common.state.display()
        ));
    }
    Ok(())
}
