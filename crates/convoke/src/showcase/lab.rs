//! `convoke lab`: the laboratory of real routers.
//!
//! Read next: [`lab`], which has it; `docs/lab.md`.

use crate::cli::{Break, Common, LabCommand, LabScore};
use crate::output::{self, Failure, line};
use crate::serving::{Serving, asked_to_end, nobody};
use crate::showcase::files;
use domain::time::SeededRng;
use lab::bring_up::{LabGuard, Laboratory};
use lab::error::LabError;
use lab::fault::LabFault;
use lab::injector::{BreakRequest, Injector};
use lab::interruption::Interruption;
use lab::management::network::ManagedLab;
use lab::rack::service::Rack;
use lab::run_folder::RunFolder;
use lab::score::manager::Manager;
use lab::score::table::{FaultCounts, LabTable};
use lab::score::trial::{LabTrial, Trials};
use lab::unprivileged::Unprivileged;
use lab::user::management_user;
use serde_json::json;
use server::clock::Clock;
use server::config::{HttpSettings, Listen, Settings};
use server::host::Host;
use server::roster::Roster;
use server::runtime::Runtime;
use server::state::StateFolder;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a management system may take to end once it is asked to.
const ENDING: Duration = Duration::from_secs(30);
/// How often is looked whether it has.
const LOOK_EACH: Duration = Duration::from_millis(100);

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        match error {
            LabError::Start(error) => error.into(),
            LabError::Lacking(_)
            | LabError::Plan(_)
            | LabError::Topology(_)
            | LabError::Request(_) => Self::usage(error.to_string()),
            LabError::Interrupted => Self::interrupted(),
            other => Self::failed(other.to_string()),
        }
    }
}

pub(crate) async fn run(common: &Common, command: LabCommand) -> Result<(), Failure> {
    match command {
        LabCommand::Up { topology, which } => up(common, &topology, &which.prefix).await,
        LabCommand::Down(which) => {
            lab::requirements::check().map_err(LabError::from)?;
            Laboratory::down(&which.prefix)?;
            told(
                common,
                "down",
                &format!("Nothing is left of {}.", which.prefix),
            );
            Ok(())
        }
        LabCommand::Break(wanted) => strike(common, &wanted),
        LabCommand::Mend { id, which } => {
            let lab = Laboratory::standing(&which.prefix)?;
            Injector::of(&lab).mend(id, Clock::wall().now())?;
            told(common, "mended", &format!("{id} is undone."));
            Ok(())
        }
        LabCommand::List(which) => list(common, &which.prefix),
        LabCommand::Manage {
            netconf,
            until_input_ends,
            which,
        } => {
            if until_input_ends {
                lab::unprivileged::end_with_input();
            }
            manage(common, netconf, &which.prefix).await
        }
        LabCommand::Score(wanted) => score(common, &wanted).await,
        LabCommand::Rack(which) => {
            let lab = Laboratory::standing(&which.prefix)?;
            Ok(Rack::start(lab)?.serve(user_of(&which.prefix)?)?)
        }
        LabCommand::Agents(which) => {
            let print = |event: &lab::hosted::AgentsEvent| output::json(event);
            let asked = asked_to_end()?;
            lab::unprivileged::end_with_input();
            Ok(lab::hosted::run(&which.prefix, print, asked).await?)
        }
    }
}

fn told(common: &Common, event: &str, words: &str) {
    match common.json {
        true => output::json(&json!({ "event": event })),
        false => line(words),
    }
}

/// The user that the management system of a prefix runs as.
fn user_of(prefix: &str) -> Result<u32, Failure> {
    Ok(management_user(prefix).map_err(LabError::from)?)
}

fn program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|e| Failure::failed(e.to_string()))
}

/// Does what takes long. If the process is asked to end meanwhile, the work is interrupted, and is
/// waited for: it takes down what it has made.
async fn interruptible<T: Send + 'static>(
    work: impl FnOnce(&Interruption) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let interruption = Interruption::default();
    let asked = asked_to_end()?;
    let shared = interruption.clone();
    let mut working = tokio::task::spawn_blocking(move || work(&shared));
    let worked = tokio::select! {
        worked = &mut working => worked,
        () = asked => {
            interruption.interrupt();
            working.await
        }
    };
    worked.map_err(|e| Failure::failed(e.to_string()))?
}

async fn up(common: &Common, topology: &str, prefix: &str) -> Result<(), Failure> {
    let (name, prefix) = (topology.to_owned(), prefix.to_owned());
    let brought_up = interruptible(move |interruption| {
        let lab = Laboratory::up(&name, &prefix, interruption)?;
        let guard = LabGuard::of(&prefix);
        lab.start_rack(&program()?)?;
        guard.keep();
        Ok(lab)
    });
    let lab = brought_up.await?;
    let (routers, links) = (lab.plan.routers.len(), lab.plan.links.len());
    let words = format!(
        "{topology} stands: {routers} routers, {links} links, OSPF full on all of them. Next: convoke lab \
         manage, convoke lab break FAULT."
    );
    told(common, "up", &words);
    Ok(())
}

fn strike(common: &Common, wanted: &Break) -> Result<(), Failure> {
    let lab = Laboratory::standing(&wanted.which.prefix)?;
    let request = BreakRequest {
        fault: wanted.fault,
        element: wanted.element.clone(),
    };
    let mut rng: SeededRng = lab::injector::seeded(wanted.seed);
    let entry = Injector::of(&lab).strike(&request, &mut rng, Clock::wall().now())?;
    if common.json {
        output::json(&json!({ "event": "broken", "entry": entry }));
    } else {
        let element = entry
            .element
            .map_or_else(String::new, |e| format!(" at {e}"));
        line(&format!("{}: {}{element}", entry.id, entry.fault));
    }
    Ok(())
}

fn list(common: &Common, prefix: &str) -> Result<(), Failure> {
    let lab = Laboratory::standing(prefix)?;
    let entries = Injector::of(&lab).book().entries()?;
    if common.json {
        entries
            .iter()
            .for_each(|e| output::json(&json!({ "event": "entry", "entry": e })));
        return Ok(());
    }
    let rows = entries.iter().map(|entry| {
        let changed = entry.changed.iter().map(|c| {
            let (router, parameter, was, is) = (&c.router, &c.parameter, &c.was, &c.is);
            format!("{router} {parameter}: {was} -> {is}")
        });
        vec![
            entry.id.to_string(),
            entry.fault.clone(),
            entry
                .element
                .as_ref()
                .map_or_else(String::new, ToString::to_string),
            entry.from.to_string(),
            entry
                .until
                .map_or_else(|| "stands".to_owned(), |at| at.to_string()),
            changed.collect::<Vec<_>>().join("; "),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let header = ["ID", "FAULT", "ELEMENT", "FROM", "UNTIL", "CHANGED"];
    line(&output::table(&header, &rows));
    Ok(())
}

/// Serves the management system; as a user of its own, if this one is root.
async fn manage(
    common: &Common,
    netconf: Option<std::net::SocketAddr>,
    prefix: &str,
) -> Result<(), Failure> {
    let folder = RunFolder::of(prefix);
    if lab::unprivileged::is_root() {
        let mut arguments = lab::management::arguments(prefix, netconf);
        arguments.extend(common.json.then(|| "--json".to_owned()));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        return manage_unprivileged(&arguments, user_of(prefix)?).await;
    }
    let documents = folder.documents()?;
    let settings = Settings {
        netconf,
        // Where any port will do for one endpoint, it will for all.
        agents_from: netconf.filter(|address| address.port() == 0).map(|_| 0),
        http: HttpSettings {
            listen: Some(Listen::Off),
            ..HttpSettings::default()
        },
        ..Settings::default()
    };
    let serving = Serving {
        common,
        folder: StateFolder::new(&common.state),
        settings,
        clock: Arc::new(Clock::wall()),
    };
    let inventory = Arc::new(documents.inventory());
    let on_it = |host: Arc<Host>| {
        let network = ManagedLab::new(&host, documents, &folder.socket());
        Runtime::new(host, network, nobody())
    };
    let hint = |common: &Common| {
        if !common.json {
            line("The management system of the laboratory: endpoint ems: ip.");
        }
    };
    serving.on(Roster::default(), inventory, hint, on_it).await
}

/// Runs the management system as its user, until it ends or this process is asked to.
async fn manage_unprivileged(arguments: &[&str], user: u32) -> Result<(), Failure> {
    let mut asked = std::pin::pin!(asked_to_end()?);
    let mut manager = Unprivileged::start(&program()?, arguments, user, line)?;
    let mut until: Option<Instant> = None;
    loop {
        match manager.ended()? {
            Some(true) => return Ok(()),
            Some(false) => return Err(Failure::failed("the management system failed")),
            None if until.is_some_and(|until| Instant::now() > until) => {
                return Err(Failure::failed("the management system did not end"));
            }
            None => {}
        }
        tokio::select! {
            () = &mut asked, if until.is_none() => {
                manager.ask_to_end();
                until = Some(Instant::now() + ENDING);
            }
            () = tokio::time::sleep(LOOK_EACH) => {}
        }
    }
}

async fn score(common: &Common, wanted: &LabScore) -> Result<(), Failure> {
    let (wanted, json) = (wanted.clone(), common.json);
    interruptible(move |interruption| hold(&wanted, json, interruption)).await
}

fn hold(wanted: &LabScore, json: bool, interruption: &Interruption) -> Result<(), Failure> {
    let prefix = &wanted.which.prefix;
    let lab = Laboratory::up(&wanted.topology, prefix, interruption)?;
    let guard = LabGuard::of(prefix);
    let held = hold_in(&lab, wanted, json, interruption);
    let gone = guard.down();
    let trials = held?;
    gone?;
    tell(&LabTable::of(&trials), json);
    Ok(())
}

fn hold_in(
    lab: &Laboratory,
    wanted: &LabScore,
    json: bool,
    interruption: &Interruption,
) -> Result<Vec<LabTrial>, Failure> {
    lab.start_rack(&program()?)?;
    let manager = Manager::start(&program()?, &lab.plan.prefix)?;
    let trials = Trials::in_lab(lab, interruption)?;
    let faults: &[LabFault] = match wanted.faults.as_slice() {
        [] => &LabFault::ALL,
        some => some,
    };
    let mut out = wanted.out.as_deref().map(files::append).transpose()?;
    let mut held = Vec::new();
    for seed in wanted.seeds.from(1) {
        for fault in faults {
            let trial = trials.hold(*fault, seed, &manager, |_| {})?;
            if let Some(file) = &mut out {
                let text = serde_json::to_string(&trial).map_err(LabError::from)?;
                writeln!(file, "{text}").map_err(|e| Failure::failed(e.to_string()))?;
            }
            match json {
                true => output::json(&trial),
                false => line(&said(&trial)),
            }
            held.push(trial);
        }
    }
    Ok(held)
}

/// A trial in a line.
fn said(trial: &LabTrial) -> String {
    let element = trial.element.as_ref().map_or("nothing", |e| e.as_str());
    let agents = trial
        .policies
        .iter()
        .find(|verdict| verdict.policy == "agents");
    let first = agents.and_then(|verdict| verdict.first.as_ref());
    let first = first.map_or("nothing".to_owned(), |(e, cause)| format!("{cause} of {e}"));
    let located = agents.and_then(|verdict| verdict.located_s);
    let located = located.map_or_else(String::new, |s| format!(" after {s:.0} s"));
    let repaired = if trial.repaired { ", repaired" } else { "" };
    let wrong = match trial.repairs.wrong {
        0 => String::new(),
        wrong => format!(", {wrong} WRONG REPAIRS"),
    };
    format!(
        "{:>3} {:<26} {element:<34} agents: {first}{located}{repaired}{wrong}",
        trial.seed, trial.fault
    )
}

fn tell(table: &LabTable, json: bool) {
    if json {
        return output::json(&json!({ "event": "table", "faults": table }));
    }
    let share = |counts: &FaultCounts, policy: &str| {
        let of = |map: &std::collections::BTreeMap<String, u32>| {
            map.get(policy).copied().unwrap_or_default()
        };
        format!(
            "{} ({})",
            of(&counts.named_first),
            of(&counts.element_first)
        )
    };
    let rows = table.rows().into_iter().map(|(name, counts)| {
        let median = counts.median_s();
        let mut row = vec![name, counts.trials.to_string(), share(&counts, "agents")];
        row.push(median.map_or("-".to_owned(), |s| format!("{s:.0} s")));
        row.push(counts.repaired.to_string());
        row.push(counts.wrong_repairs.to_string());
        row.push(share(&counts, "first-alarm"));
        row.push(share(&counts, "most-alarms"));
        row.push(share(&counts, "codebook-bayes"));
        row
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let header = [
        "FAULT",
        "TRIALS",
        "AGENTS",
        "MEDIAN",
        "REPAIRED",
        "WRONG REPAIRS",
        "FIRST ALARM",
        "MOST ALARMS",
        "BAYES",
    ];
    line("Named first, element and cause (the element alone):");
    line(&output::table(&header, &rows));
}
