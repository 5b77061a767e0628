//! `convoke serve` and `convoke config check`: the platform by itself.

use crate::cli::{Common, ConfigCommand, Platform as PlatformFlags, Serve};
use crate::output::{self, Failure, line};
use domain::inventory::Inventory;
use markup::words::legible_line;
use serde_json::json;
use server::clock::Clock;
use server::config::{A2aSettings, HttpSettings, LifeSettings, Settings};
use server::host::{Endpoint, Home, Host, StartError};
use server::roster::Roster;
use server::runtime::{Network, Runtime};
use server::state::StateFolder;
use server::story::Listener;
use server::token::TokenError;
use std::sync::Arc;

#[cfg(not(feature = "showcase"))]
use server::config::SettingsError;

/// The settings from flags and environment, which override those of the file.
pub(crate) fn settings_of(
    common: &Common,
    flags: &PlatformFlags,
    network: Option<String>,
    seed: Option<u64>,
) -> Result<Settings, Failure> {
    let given = Settings {
        netconf: flags.netconf,
        agents_from: flags.agents_from,
        seed,
        network,
        sites: flags.sites,
        profiles: flags.profiles.clone(),
        http: HttpSettings {
            listen: flags.http,
            ..HttpSettings::default()
        },
        a2a: A2aSettings {
            card_profile: flags.card_profile,
            ..A2aSettings::default()
        },
        knowledge: flags.knowledge.clone(),
        ..Settings::default()
    };
    let folder = StateFolder::new(&common.state);
    let file = Settings::load(&folder).map_err(|e| Failure::usage(e.to_string()))?;
    Ok(given.over(file))
}

pub(crate) async fn run(common: &Common, serve: Serve) -> Result<(), Failure> {
    let given = Settings {
        speed: serve.speed,
        life: serve.life.then(LifeSettings::default),
        ..Settings::default()
    };
    let below = settings_of(common, &serve.platform, serve.network, serve.seed)?;
    let mut settings = given.over(below);
    settings.http = settings.http.served(settings.netconf);
    let folder = StateFolder::new(&common.state);
    // Before the network is made, which takes what it is told.
    settings.check(&folder).map_err(StartError::from)?;
    let speed = settings.speed.unwrap_or(1.0);
    let serving = Serving {
        common,
        folder,
        settings,
        clock: Arc::new(Clock::wall().at_speed(speed)),
    };
    begin(serving).await
}

#[cfg(feature = "showcase")]
use crate::showcase::{roster, serve as begin};

/// An empty roster: this build ships no agents.
#[cfg(not(feature = "showcase"))]
fn roster(_: &Settings) -> Result<Roster, SettingsError> {
    Ok(Roster::default())
}

#[cfg(not(feature = "showcase"))]
async fn begin(serving: Serving<'_>) -> Result<(), Failure> {
    match serving.settings.network.as_deref() {
        None | Some("none") => {
            let alone = |host| Runtime::new(host, (), nobody());
            serving
                .on(Roster::default(), Arc::default(), None, alone)
                .await
        }
        Some(network) => Err(Failure::usage(format!(
            "there is no network '{network}': this build has no simulator; build convoke with its \
             feature 'showcase', or say --network none"
        ))),
    }
}

/// A platform to be served.
pub(crate) struct Serving<'s> {
    common: &'s Common,
    folder: StateFolder,
    pub(crate) settings: Settings,
    pub(crate) clock: Arc<Clock>,
}

impl Serving<'_> {
    /// Runs the platform with the agents of a roster on a network, until it is asked to end. `hint` is
    /// printed once it is ready.
    pub(crate) async fn on<N: Network>(
        self,
        roster: Roster,
        inventory: Arc<Inventory>,
        hint: Option<&str>,
        runtime: impl FnOnce(Arc<Host>) -> Runtime<N>,
    ) -> Result<(), Failure> {
        let (common, settings) = (self.common, &self.settings);
        let home = Home::Folder(self.folder);
        let host = Host::start(home, settings, roster, inventory, self.clock).await?;
        let host = Arc::new(host);
        let mut runtime = runtime(Arc::clone(&host));
        runtime.begin().await;
        // Whoever hears that it is ready may end it at once, and it is to end in order.
        let ended = asked_to_end()?;
        announce(common, &host);
        if let (Some(hint), false) = (hint, common.json) {
            line(hint);
        }
        drop(host);
        let lived = live(&mut runtime, ended).await;
        runtime.end().await;
        lived
    }
}

/// A listener that ignores all events.
pub(crate) fn nobody() -> Listener {
    Box::new(|_| {})
}

/// Runs agents until they are asked to end.
///
/// # Errors
/// The reason why the platform cannot go on, which ends it as well.
pub(crate) async fn live<N: Network>(
    runtime: &mut Runtime<N>,
    ended: impl Future<Output = ()>,
) -> Result<(), Failure> {
    let host = Arc::clone(runtime.host());
    let stop = async {
        tokio::select! {
            () = ended => {}
            _ = host.failed() => {}
        }
    };
    runtime.live(stop).await;
    host.has_failed()
        .map_or(Ok(()), |why| Err(Failure::failed(why)))
}

/// Resolves when the process is asked to end: Ctrl-C, or SIGTERM.
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

/// Prints that the platform is ready: one line per listener, or one JSON object with all of them.
pub(crate) fn announce(common: &Common, host: &Host) {
    let key = common.state.join("operator_ed25519");
    if common.json {
        let mut listeners: Vec<_> = host
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
        let http = host.http.map(
            |http| json!({ "protocol": http.protocol(), "address": http.address.to_string() }),
        );
        listeners.extend(http);
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
    if let Some(http) = host.http {
        line(&format!(
            "{:<11}  {:<21}  for whoever has a token: convoke token issue",
            http.protocol(),
            http.address.to_string()
        ));
    }
    line(&format!("user operator, key {}\n", key.display()));
}

pub(crate) fn config(common: &Common, command: ConfigCommand) -> Result<(), Failure> {
    let ConfigCommand::Check = command;
    let folder = StateFolder::new(&common.state);
    if !folder.path().is_dir() {
        let nowhere = TokenError::Nowhere(common.state.display().to_string());
        return Err(nowhere.into());
    }
    let checked = || -> Result<Vec<String>, StartError> {
        let roster = roster(&Settings::load(&folder)?)?;
        server::check_files(&folder, &roster)
    };
    let advice = checked().map_err(|error| Failure::usage(error.to_string()))?;
    if common.json {
        let state = common.state.display().to_string();
        output::json(&json!({ "event": "checked", "state": state, "advice": advice }));
    } else {
        for advice in &advice {
            line(&advised(advice));
        }
        line(&format!(
            "{}: settings, access rules and profiles are usable",
            common.state.display()
        ));
    }
    Ok(())
}

/// A piece of advice on one line, with any file name in it made safe.
fn advised(advice: &str) -> String {
    format!("advice: {}", legible_line(advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_brings_no_lines_of_its_own() {
        let told = advised("users/a\nadvice: b.pub: nobody can have that name");
        let one = "advice: users/a\\u{a}advice: b.pub: nobody can have that name";
        assert_eq!(told, one);
    }
}
