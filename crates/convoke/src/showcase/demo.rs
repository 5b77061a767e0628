//! `convoke demo`: runs a use case with agents, prints, records and draws it.
//!
//! Read next: [`arena::stage`], [`crate::showcase::show`]; [`crate::showcase::replay`] steps
//! through a record.

use crate::cli::{Common, Demo, Play as Scene, Stage as StageFlags, Story};
use crate::console;
use crate::output::{self, Failure, line};
use crate::serving::{announce, asked_to_end, live, settings_of};
use crate::showcase::files;
use crate::showcase::replay;
use crate::showcase::show::{self, Show};
use arena::faults::MIN_SITES;
use arena::recorder::Recorder;
use arena::scenario::Scenario;
use arena::stage::{ScenarioParameters, Stage, topology};
use domain::time::Timestamp;
use network::{FaultRequest, TelemetryErrors};
use report::Record;
use server::clock::Clock;
use server::config::Listen;
use server::host::Home;
use server::runtime::Pace;
use server::state::StateFolder;
use server::story::Listener;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::{Arc, Mutex};

const HOUR_S: f64 = 3_600.0;
const WEEK_MS: i64 = 7 * 86_400_000;
/// The first Monday after the beginning of 1970, which was a Thursday.
const MONDAY_MS: i64 = 4 * 86_400_000;

/// The lines of a record written so far.
type Lines = Arc<Mutex<Vec<String>>>;

pub(crate) async fn run(common: &Common, demo: Demo) -> Result<(), Failure> {
    let (scenario, story) = match (demo.play, demo.replay) {
        (_, Some(file)) => return replay::run(common, &file),
        (Some(Scene::Fault(story)), _) => (Scenario::Fault, story),
        (Some(Scene::Experience(story)), _) => (Scenario::Experience, story),
        (Some(Scene::Complaints(story)), _) => (Scenario::Complaints, story),
        (Some(Scene::All(story)), _) => (Scenario::All, story),
        (None, None) => return Err(Failure::usage("say which use case, or --replay FILE")),
    };
    tell(common, scenario, &story).await
}

async fn tell(common: &Common, scenario: Scenario, story: &Story) -> Result<(), Failure> {
    let headless = story.headless || !(story.stay || output::on_terminal());
    let folder = emptied(common, story)?;
    let sites = story.platform.sites.unwrap_or(300);
    let play = play(&story.stage, scenario, story.seed, sites)?;
    let mut settings = settings_of(common, &story.platform, None, Some(story.seed))?;
    if !headless && settings.http.listen.is_none() {
        settings.http.listen = Some(Listen::At((Ipv4Addr::LOCALHOST, 0).into()));
    }
    if settings.store.url.is_some() {
        return Err(Failure::usage(
            "a demo begins with an empty state, and empties no database: take [store] url out of \
             convoke.toml, or go elsewhere with --state DIR",
        ));
    }
    let start = start(scenario, Clock::wall_time());
    let show = Arc::new(Mutex::new(Show::new(start)));
    let mut stage = Stage::set(
        Home::Folder(folder),
        &settings,
        play,
        start,
        Box::new(|_| {}),
    )
    .await?;
    let recording = Recording::begin(story, &stage);
    stage
        .world
        .listen(listener(common, &show, recording.as_ref()));
    if let Some(recording) = &recording {
        recording.watch(&mut stage);
    }
    if !common.json {
        introduce(scenario, story, &stage);
    }
    if !headless {
        let host = stage.world.host();
        let url = host.http.map(|it| console::kept_url(common, &settings, it));
        announce(common, &host.listening, host.http);
        if let Some(url) = url {
            console::tell(common, &url, story.open);
        }
    }
    let pace = match headless {
        true => Pace::Unhurried,
        false => Pace::Followed {
            speed: story.speed.max(1.0),
            longest: 0.4,
        },
    };
    stage.play(pace).await;
    conclude(common, scenario, &show, &stage);
    if let Some(recording) = recording {
        recording.end(common, story, &stage)?;
    }
    if !headless {
        stay(common, &mut stage).await?;
    }
    stage.world.end().await;
    Ok(())
}

/// The state folder, emptied of an earlier run if the flags allow it.
fn emptied(common: &Common, story: &Story) -> Result<StateFolder, Failure> {
    let folder = StateFolder::new(&common.state);
    if folder.is_used() {
        if !story.fresh {
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
    Ok(folder)
}

/// The beginning of the simulated time: early enough that a run faster than real time does not
/// reach the future, and at the scenario's hour of a Monday. Letters of customers mention days of
/// the week, so that the same seed on another day would be another run.
fn start(scenario: Scenario, wall: Timestamp) -> Timestamp {
    let latest = wall.plus_s(-scenario.horizon_s() - HOUR_S);
    let at = MONDAY_MS + i64::from(scenario.begins_at_hour()) * 3_600_000;
    let weeks = (latest.as_ms() - at).div_euclid(WEEK_MS);
    Timestamp::from_ms(weeks * WEEK_MS + at)
}

/// A run that is being recorded.
struct Recording {
    recorder: Arc<Mutex<Recorder>>,
    lines: Lines,
}

impl Recording {
    /// Starts recording if the run is to be recorded or drawn.
    fn begin(story: &Story, stage: &Stage) -> Option<Self> {
        if story.record.is_none() && story.html.is_none() {
            return None;
        }
        let lines = Lines::default();
        let kept = Arc::clone(&lines);
        let sink = Box::new(move |line| kept.lock().expect("keeping does not panic").push(line));
        let recorder = Recorder::begin(&stage.run(), sink);
        Some(Self {
            recorder: Arc::new(Mutex::new(recorder)),
            lines,
        })
    }

    fn watch(&self, stage: &mut Stage) {
        let recorder = Arc::clone(&self.recorder);
        stage
            .world
            .network_mut()
            .observe(Box::new(move |simulation, now| {
                let mut recorder = recorder.lock().expect("looking does not panic");
                recorder.look(simulation, now);
            }));
    }

    fn end(self, common: &Common, story: &Story, stage: &Stage) -> Result<(), Failure> {
        let truths = stage.world.network().simulation().truth();
        let mut recorder = self.recorder.lock().expect("nobody panicked");
        recorder.end(truths, &stage.score());
        let text = self.lines.lock().expect("nobody panicked").join("\n") + "\n";
        if let Some(file) = &story.record {
            files::write(file, &text)?;
            said(
                common,
                "Recorded; step through it with: demo --replay",
                file,
            );
        }
        if let Some(file) = &story.html {
            let record = Record::parse(&text).expect("what was just written can be read");
            files::write(file, &report::html::run(&record))?;
            said(common, "Drawn:", file);
        }
        Ok(())
    }
}

fn said(common: &Common, words: &str, file: &Path) {
    if !common.json {
        line(&format!("{words} {}", file.display()));
    }
}

fn listener(common: &Common, show: &Arc<Mutex<Show>>, recording: Option<&Recording>) -> Listener {
    let show = (!common.json).then(|| Arc::clone(show));
    let recorder = recording.map(|r| Arc::clone(&r.recorder));
    Box::new(move |told| {
        if let Some(show) = &show {
            show.lock().expect("telling does not panic").tell(told);
        }
        if let Some(recorder) = &recorder {
            recorder
                .lock()
                .expect("recording does not panic")
                .tell(told);
        }
    })
}

fn introduce(scenario: Scenario, story: &Story, stage: &Stage) {
    let paint = output::Paint::new();
    let headline = report::story::headline(scenario.as_str());
    let title = match scenario {
        Scenario::Fault => format!("{headline} (use case 1 of the draft)"),
        Scenario::Experience => format!("{headline} (use case 2)"),
        Scenario::Complaints => format!("{headline} (use case 3)"),
        Scenario::All => headline,
    };
    line(&paint.style("1", &title));
    line(&format!(
        "{} agents, each behind a NETCONF endpoint of its own, on {} with seed {}.",
        stage.world.host().profiles.len(),
        story.stage.topology,
        story.seed
    ));
    line(&paint.style("2", show::LEGEND));
    line("");
}

fn conclude(common: &Common, scenario: Scenario, show: &Arc<Mutex<Show>>, stage: &Stage) {
    let mut show = show.lock().expect("telling does not panic");
    match (scenario, common.json) {
        (Scenario::Fault, true) => output::json(&stage.report()),
        (Scenario::Fault, false) => show.score(&stage.report()),
        (_, true) => line(&stage.score().line()),
        (_, false) => show.figures(&stage.score()),
    }
}

/// Keeps the platform running, so that users can explore it.
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
    live(&mut stage.world, asked_to_end()?).await
}

pub(crate) fn play(
    flags: &StageFlags,
    scenario: Scenario,
    seed: u64,
    sites: usize,
) -> Result<ScenarioParameters, Failure> {
    let fault: FaultRequest = flags
        .fault
        .parse()
        .map_err(|e: network::FaultError| Failure::usage(e.to_string()))?;
    Ok(ScenarioParameters {
        scenario,
        topology: topology(&flags.topology)?,
        fault,
        min_sites: MIN_SITES,
        seed,
        sites,
        alarms: files::alarms(flags.alarms.as_deref())?,
        errors: flags
            .world
            .errors(TelemetryErrors::none())
            .map_err(Failure::usage)?,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_story_begins_at_its_hour_of_a_monday_and_ends_before_now() {
        for (wall, monday) in [
            ("2026-11-22T12:34:56Z", "2026-11-16"),
            ("2026-11-23T12:34:56Z", "2026-11-16"),
            ("2026-11-25T00:00:00Z", "2026-11-23"),
        ] {
            let wall = Timestamp::parse(wall).unwrap();
            for scenario in Scenario::ALL {
                let start = start(scenario, wall);
                assert!(start.plus_s(scenario.horizon_s()) < wall, "{scenario}");
                let text = format!("{monday}T{:02}:00:00", scenario.begins_at_hour());
                assert!(start.to_string().contains(&text), "{start}");
            }
        }
    }
}
