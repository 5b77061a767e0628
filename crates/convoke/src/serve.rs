//! `convoke serve` and `convoke config check`: the platform by itself.
//!
//! Read next: [`crate::serving`], which runs it; [`crate::node`], one of several.

use crate::cli::{Common, ConfigCommand, Serve};
use crate::joining;
use crate::node;
use crate::output::{self, Failure, line};
use crate::serving::{Serving, settings_of};
use crate::store::stated;
use markup::words::legible_line;
use serde_json::json;
use server::clock::Clock;
use server::config::ems::load as load_ems;
use server::config::{LifeSettings, NodeSettings, Settings};
use server::host::StartError;
use server::state::StateFolder;
use server::token::TokenError;
use std::sync::Arc;

#[cfg(not(feature = "showcase"))]
use crate::serving::nobody;
#[cfg(not(feature = "showcase"))]
use server::{config::SettingsError, roster::Roster, runtime::Runtime};

pub(crate) async fn run(common: &Common, serve: Serve) -> Result<(), Failure> {
    let folder = StateFolder::new(&common.state);
    let mut settings = settings_for(common, &serve)?;
    if let Some(from) = settings.cluster.join.clone() {
        joining::join(common, &folder, &settings, &from).await?;
        // It was told where the state is, and what it was to accept it has accepted.
        settings = settings_for(common, &serve)?;
        settings.cluster.accept_rules = false;
    }
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

/// The settings from flags and environment, and below them those of the folder.
fn settings_for(common: &Common, serve: &Serve) -> Result<Settings, Failure> {
    let systems = serve.ems.as_deref().map(load_ems).transpose();
    let given = Settings {
        ems: systems.map_err(StartError::from)?,
        store: stated(&serve.database)?,
        speed: serve.speed,
        life: serve.life.then(LifeSettings::default),
        cluster: NodeSettings {
            node: serve.cluster.node.clone(),
            listen: serve.cluster.cluster_listen,
            advertise: serve.cluster.cluster_advertise.clone(),
            join: serve.cluster.join.clone(),
            key_file: serve.cluster.cluster_key.clone(),
            accept_rules: serve.cluster.accept_rules,
            ..NodeSettings::default()
        },
        ..Settings::default()
    };
    let below = settings_of(common, &serve.platform, serve.network.clone(), serve.seed)?;
    let managed_by_flag = given.ems.is_some();
    let mut settings = given.over(below);
    if managed_by_flag {
        // A flag goes above the file, where another network may stand.
        settings.network = None;
    }
    settings.http = settings.http.served(settings.netconf);
    Ok(settings)
}

#[cfg(feature = "showcase")]
use crate::showcase::{roster, serve as simulated};

/// Serves a platform on the network in its settings: one that is managed elsewhere, or a simulated
/// one, if there is one.
async fn begin(serving: Serving<'_>) -> Result<(), Failure> {
    if serving.settings.cluster.node.is_some() {
        return node::run(serving, roster).await;
    }
    if serving.settings.ems.iter().flatten().next().is_none() {
        return simulated(serving).await;
    }
    let roster = roster(&serving.settings).map_err(StartError::from)?;
    serving.on_managed(roster).await
}

/// An empty roster: this build ships no agents.
#[cfg(not(feature = "showcase"))]
fn roster(_: &Settings) -> Result<Roster, SettingsError> {
    Ok(Roster::default())
}

#[cfg(not(feature = "showcase"))]
async fn simulated(serving: Serving<'_>) -> Result<(), Failure> {
    match serving.settings.network.as_deref() {
        None | Some("none") => {
            let alone = |host| Runtime::new(host, (), nobody());
            serving
                .on(Roster::default(), Arc::default(), |_| {}, alone)
                .await
        }
        Some(network) => Err(Failure::usage(format!(
            "there is no network '{network}': this build has no simulator; build convoke with its \
             feature 'showcase', or say --network none"
        ))),
    }
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
