//! `convoke demo fault` and `convoke simulate`: a fault is found and repaired by agents.

use crate::cli::{Common, Demo, DemoFault, Scenario, Simulate, Stage as StageFlags};
use crate::output::{self, Failure, line};
use crate::serve::{announce, asked_to_end, settings_of};
use crate::show::Show;
use network::FaultRequest;
use server::clock::Clock;
use server::host::Home;
use server::referee::Report;
use server::stage::{Play, Stage, topology};
use server::state::StateFolder;
use server::story::Listener;
use server::world::Pace;
use std::sync::{Arc, Mutex};

/// The network's time begins so long before the wall's, in seconds: a story that is told faster
/// than it happens must not run into the future.
const EARLIER_S: f64 = -13.0 * 3_600.0;

pub(crate) async fn run(common: &Common, demo: Demo) -> Result<(), Failure> {
    let Scenario::Fault(fault) = demo.scenario;
    let headless = fault.headless || !(fault.stay || output::on_terminal());
    let folder = StateFolder::new(&common.state);
    if folder.is_used() {
        if !fault.fresh {
            return Err(Failure::conflict(format!(
                "{} holds an earlier run; --fresh starts anew (keys and settings are kept), \
                 --state DIR goes elsewhere",
                common.state.display()
            )));
        }
        folder
            .forget_store()
            .map_err(|e| Failure::failed(format!("{}: {e}", common.state.display())))?;
    }
    let play = play(
        &fault.stage,
        fault.seed,
        fault.platform.sites.unwrap_or(300),
    )?;
    let settings = settings_of(common, &fault.platform, None, Some(fault.seed))?;
    let start = Clock::wall_time().plus_s(EARLIER_S);
    let show = Arc::new(Mutex::new(Show::new(start)));
    let mut stage = Stage::set(
        Home::Folder(folder),
        &settings,
        play,
        start,
        listener(common, &show),
    )
    .await?;
    if !common.json {
        introduce(&fault);
    }
    if !headless {
        announce(common, stage.world.host());
    }
    let pace = match headless {
        true => Pace::Unhurried,
        false => Pace::Followed {
            speed: fault.speed.max(1.0),
            longest: 0.4,
        },
    };
    let report = stage.play(pace).await;
    conclude(common, &show, &report);
    if !headless {
        stay(common, &mut stage).await?;
    }
    stage.world.end().await;
    Ok(())
}

fn listener(common: &Common, show: &Arc<Mutex<Show>>) -> Listener {
    if common.json {
        return Box::new(|_| {});
    }
    let show = Arc::clone(show);
    Box::new(move |told| show.lock().expect("telling does not panic").tell(told))
}

fn introduce(fault: &DemoFault) {
    let paint = output::Paint::new();
    line(&paint.style(
        "1",
        "A batch of base stations goes out of service (use case 1 of the draft)",
    ));
    line(&format!(
        "Five agents, each behind a NETCONF endpoint of its own, on {} with seed {}.\n",
        fault.stage.topology, fault.seed
    ));
}

fn conclude(common: &Common, show: &Arc<Mutex<Show>>, report: &Report) {
    if common.json {
        output::json(report);
    } else {
        show.lock().expect("telling does not panic").score(report);
    }
}

/// Keeps the platform running, so that people can look around.
async fn stay(common: &Common, stage: &mut Stage) -> Result<(), Failure> {
    if !common.json {
        let host = stage.world.host();
        let port = host.listening.first().map_or(0, |l| l.address.port());
        let me = std::env::args()
            .next()
            .unwrap_or_else(|| "convoke".to_owned());
        let state = common.state.display();
        let flag = if common.state.as_os_str() == "./convoke-state" {
            String::new()
        } else {
            format!("--state {state} ")
        };
        line("\nThe platform keeps running; try, in another terminal:");
        line(&format!(
            "  {me} {flag}task list --netconf 127.0.0.1:{port}"
        ));
        line(&format!(
            "  {me} {flag}ask --netconf 127.0.0.1:{port} \"what hangs on router Berlin?\""
        ));
        line(&format!(
            "  ssh -p {port} -i {state}/operator_ed25519 -o UserKnownHostsFile={state}/known_hosts \
             operator@127.0.0.1 -s netconf"
        ));
        line(&format!(
            "  .venv/bin/python examples/read_agents.py --port {port} --key {state}/operator_ed25519"
        ));
        line("Ctrl-C ends it.");
    }
    stage.world.host().clock.follow_wall();
    stage.world.live(asked_to_end()?).await;
    Ok(())
}

fn play(flags: &StageFlags, seed: u64, sites: usize) -> Result<Play, Failure> {
    let fault: FaultRequest = flags
        .fault
        .parse()
        .map_err(|e: network::FaultError| Failure::usage(e.to_string()))?;
    Ok(Play {
        topology: topology(&flags.topology)?,
        fault,
        seed,
        sites,
    })
}

/// Plays one story per seed in memory: the same sessions, joined by pipes.
pub(crate) async fn simulate(common: &Common, simulate: Simulate) -> Result<(), Failure> {
    let start = domain::time::Timestamp::parse("2026-01-05T06:00:00Z").expect("a literal");
    let (mut right, mut baseline, mut closed) = (0u64, 0u64, 0u64);
    for seed in simulate.seed..simulate.seed + simulate.seeds {
        let play = play(&simulate.stage, seed, simulate.sites)?;
        let settings = server::config::Settings::default();
        let listener: Listener = Box::new(|_| {});
        let mut stage = Stage::set(Home::Memory, &settings, play, start, listener).await?;
        let report = stage.play(Pace::Unhurried).await;
        right += u64::from(report.root_cause.correct);
        baseline += u64::from(report.baseline.correct);
        closed += u64::from(report.closed);
        if common.json {
            output::json(&report);
        } else {
            line(&row(&report));
        }
    }
    let seeds = simulate.seeds;
    if common.json {
        output::json(&serde_json::json!({
            "event": "summary", "seeds": seeds, "correct": right, "baseline_correct": baseline,
            "closed": closed,
        }));
    } else {
        line(&format!(
            "\nroot cause right in {right} of {seeds}; blaming the first alarm: {baseline}; \
             tickets closed by their publisher: {closed}"
        ));
    }
    Ok(())
}

fn row(report: &Report) -> String {
    let minutes = |s: Option<f64>| s.map_or_else(|| "-".to_owned(), |s| format!("{:.0}", s / 60.0));
    let found = report.root_cause.found.as_ref();
    format!(
        "seed {:>5}  {}  truth {} at {}; found {}; sites {}/{}; min {}/{}/{}",
        report.seed,
        if report.root_cause.correct {
            "right"
        } else {
            "WRONG"
        },
        report.root_cause.truth.cause,
        report.root_cause.truth.element,
        found.map_or_else(
            || "nothing".to_owned(),
            |c| format!("{} at {}", c.cause, c.element)
        ),
        report.sites.found,
        report.sites.truly,
        minutes(report.detect_s),
        minutes(report.locate_s),
        minutes(report.restore_s),
    )
}
