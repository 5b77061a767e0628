//! The commands for the simulated network and the shipped agents: running, scoring, learning.
//!
//! A tour: [`demo`] runs a use case, [`simulate`] many scenarios and whole days, [`learn`] learns
//! from days and from histories of alarms ([`causes`]), which [`eval`] scores; [`streams`] records streams of alarms,
//! tunes yardsticks on them and has every policy diagnose them, [`second_world`] those of the second world; [`show`] prints a
//! run on a terminal, [`replay`] steps through a record; [`fault`] injects faults into the network of a running platform; [`lab`]
//! is the laboratory of real routers; [`files`] reads and writes their files,
//! and [`progress`] displays progress. Absent from builds without the feature `showcase`. Read
//! next: [`arena`].

mod causes;
pub(crate) mod demo;
pub(crate) mod eval;
pub(crate) mod fault;
mod files;
pub(crate) mod lab;
pub(crate) mod learn;
mod progress;
mod replay;
mod second_world;
mod show;
pub(crate) mod simulate;
pub(crate) mod streams;

use crate::cli::Common;
use crate::output::{Failure, line};
use crate::serving::{Serving, nobody};
use arena::judge::SimulationJudge;
use arena::stage::{NETWORK, StageError, served, topology};
use server::config::{Settings, SettingsError};
use server::host::StartError;
use server::roster::Roster;
use server::runtime::Runtime;
use std::sync::Arc;

impl From<StageError> for Failure {
    fn from(error: StageError) -> Self {
        match error {
            StageError::Start(error) => error.into(),
            other => Self::usage(other.to_string()),
        }
    }
}

/// The shipped agents, as in the settings.
pub(crate) fn roster(settings: &Settings) -> Result<Roster, SettingsError> {
    arena::roster(settings)
}

/// Serves a platform on the network in its settings, if there is one.
pub(crate) async fn serve(serving: Serving<'_>) -> Result<(), Failure> {
    let simulation = served(&serving.settings, serving.clock.now())?;
    let roster = roster(&serving.settings).map_err(StartError::from)?;
    let Some(simulation) = simulation else {
        let alone = |host| Runtime::new(host, (), nobody());
        return serving.on(roster, Arc::default(), |_| {}, alone).await;
    };
    let lives = serving.settings.life.is_some();
    let hint = |common: &Common| {
        if lives && !common.json {
            line(
                "The network lives: `convoke watch` shows what agents do, `convoke fault list` what is \
                 broken.",
            );
        }
    };
    let inventory = simulation.documented_inventory();
    let backbone = topology(serving.settings.network.as_deref().unwrap_or(NETWORK))?;
    let on_it = |host| {
        let mut world = arena::world(host, simulation, nobody());
        let judge = SimulationJudge::on(backbone);
        world.network_mut().judged_by(judge);
        world
    };
    serving.on(roster, inventory, hint, on_it).await
}
