//! A thousand clients over ninety days (draft-zhou §6.2): what is needed becomes a key, noise never,
//! an attacker cannot force one, and the schema comes to rest. Prints the seed on failure.
#![allow(clippy::unwrap_used, missing_docs, clippy::print_stderr)]

#[path = "evolution/bag.rs"]
mod bag;
#[path = "evolution/pieces.rs"]
mod pieces;

use bag::Bag;
use pieces::Pieces;
use schema::evolution::simulate::{
    Administrators, Attack, ClientNeed, SimulationHistory, Workload, simulate,
};
use schema::evolution::{
    Approval, Evolution, EvolutionSettings, LifecycleState, LineageEvent, chart,
};
use schema::lint::TemplateOrigin;
use schema::semantics::Embedder;
use schema::template::Template;
use schema::time::Timestamp;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

const SEED: u64 = 42;

fn base() -> Template {
    let source = json!({
        "schema_id": "flight_booking_v1", "scenario": "flight_booking",
        "keys": [
            {"key_name": "origin", "key_type": "string", "required": true,
             "semantic_description": "Departure city."},
            {"key_name": "cabin_class", "key_type": "string", "required": false,
             "enum": ["economy", "business"], "default_value": "economy",
             "annotations": {"en": {"meaning": "Cabin class", "examples": [["business class", "business"]]}}},
        ]
    });
    schema::read::template(&source, TemplateOrigin::Own)
        .unwrap()
        .template
}

fn need(share: f64, days: (u32, u32), phrases: &[&str]) -> ClientNeed {
    let phrases = phrases.iter().map(|p| (*p).to_owned()).collect();
    ClientNeed {
        phrases,
        share,
        days,
    }
}

fn plan() -> Workload {
    Workload {
        start: Timestamp::parse("2026-01-01T00:00:00Z").unwrap(),
        days: 90,
        clients: 1_000,
        payloads_per_day: 0.3,
        needs: vec![
            need(
                0.35,
                (2, 90),
                &[
                    "window seat",
                    "window seat please",
                    "aisle seat",
                    "an aisle seat",
                    "window seat by me",
                ],
            ),
            need(
                0.25,
                (10, 90),
                &[
                    "vegetarian meal",
                    "vegetarian meal please",
                    "a vegetarian meal",
                ],
            ),
            need(
                0.20,
                (20, 90),
                &[
                    "reduce cabin temperature",
                    "please reduce cabin temperature",
                ],
            ),
            need(
                0.20,
                (20, 90),
                &[
                    "increase cabin temperature",
                    "please increase cabin temperature",
                ],
            ),
            // Hot for a week, then forgotten.
            need(0.20, (5, 12), &["carnival costume storage"]),
            // Asked for now and then, never by enough at once.
            need(0.0007, (0, 90), &["travel with falcon"]),
        ],
        noise: 0.02,
        attack: None,
        traveller: Vec::new(),
        administrators: Administrators::Approve {
            but: vec!["free".into(), "backdoor".into()],
        },
    }
}

fn run(plan: &Workload, settings: &EvolutionSettings) -> SimulationHistory {
    run_with(plan, settings, &Bag)
}

fn run_with(
    plan: &Workload,
    settings: &EvolutionSettings,
    embedder: &dyn Embedder,
) -> SimulationHistory {
    let mut laws = Laws::default();
    simulate(
        SEED,
        plan,
        settings,
        &base(),
        embedder,
        &mut |evolution, now| laws.hold(evolution, settings, now),
    )
    .unwrap_or_else(|e| panic!("seed {SEED}: {e}"))
}

/// The laws that hold after each tick, whatever happens.
#[derive(Default)]
struct Laws {
    versions: BTreeMap<String, Template>,
}

impl Laws {
    fn hold(&mut self, evolution: &Evolution, settings: &EvolutionSettings, now: Timestamp) {
        let lineage = evolution.lineage();
        let told = |law: &str| format!("seed {SEED}, {now}: {law}");
        // D107: never more than the limit on trial.
        assert!(
            lineage.on_trial() <= settings.convergence.experimental_max,
            "{}",
            told("limit")
        );
        // D77: what was published once is so for ever.
        let version = self
            .versions
            .entry(lineage.base().schema_id.clone())
            .or_insert_with(|| lineage.base().clone());
        assert_eq!(version, lineage.base(), "{}", told("base changed"));
        // D78: the authored keys are there, of their types.
        let current = lineage.current();
        let authored = self.versions.get("flight_booking_v1").unwrap();
        for key in &authored.keys {
            assert_eq!(
                current.key(&key.key_name).map(|k| &k.shape),
                Some(&key.shape),
                "{}",
                told("base key")
            );
        }
        let names: BTreeSet<_> = current.keys.iter().map(|k| &k.key_name).collect();
        assert_eq!(names.len(), current.keys.len(), "{}", told("a name twice"));
        assert_eq!(current.keys.last().unwrap().key_name, "other");
        // D82 with §7: nothing unscreened in a description.
        for key in current
            .own_keys()
            .chain(lineage.pending().flat_map(|p| &p.patch.new_keys))
        {
            for example in key.annotation.0.values().flat_map(|d| &d.examples) {
                assert!(
                    !example.said.chars().any(|c| c.is_ascii_digit()),
                    "{}",
                    told(&example.said)
                );
            }
        }
        // D105: whoever learnt a key less than the windows ago may still send it, under any version.
        let tolerated = lineage.tolerated(authored, settings, now);
        for tracked in lineage.keys() {
            let since = match tracked.state {
                LifecycleState::Withdrawn(since) => now - since,
                _ => 0,
            };
            let accepted = tolerated.iter().any(|t| t.key_name == tracked.key.key_name);
            assert_eq!(
                accepted,
                since < settings.trial.backward_ms,
                "{}",
                told(&tracked.key.key_name)
            );
        }
        assert!(evolution.pool().clusters().len() <= settings.cluster.clusters_max);
    }
}

fn settings() -> EvolutionSettings {
    let mut settings = EvolutionSettings::default();
    settings.cluster.clusters_max = 200;
    assert_eq!(settings.check(), []);
    settings
}

fn activated(history: &SimulationHistory) -> Vec<&str> {
    history
        .events
        .iter()
        .filter_map(|(_, e)| match e {
            LineageEvent::Activated { patch, .. } => {
                Some(patch.new_keys.iter().map(|k| k.key_name.as_str()))
            }
            _ => None,
        })
        .flatten()
        .collect()
}

fn stable_at(history: &SimulationHistory, day: usize) -> BTreeSet<&str> {
    let keys = history.samples[day].keys.iter();
    keys.filter(|(_, s)| matches!(s, LifecycleState::Stable(_)))
        .map(|(k, _)| k.as_str())
        .collect()
}

/// D69 to D75, D90 to D108: real needs become keys and stay, the fashion of a week goes again, noise
/// is never heard, opposites stay apart, and in the last month nothing changes any more.
#[test]
fn the_schema_converges() {
    let history = run(&plan(), &settings());
    let stable = stable_at(&history, 89);
    insta::assert_snapshot!(stable.iter().copied().collect::<Vec<_>>().join(" "), @"increase_cabin_temperature reduce_cabin_temperature seat_preference vegetarian_meal");
    assert_eq!(
        stable,
        stable_at(&history, 59),
        "seed {SEED}: at rest for a month"
    );
    let keys = activated(&history);
    insta::assert_snapshot!(keys.join(" "), @"seat_preference carnival_costume_storage vegetarian_meal increase_cabin_temperature reduce_cabin_temperature");
    let svg = chart::svg(&history);
    assert!(svg.contains("seat_preference") && svg.contains("<title") && svg.contains("<desc"));
}

/// D69, D74: what nobody else ever says is not even proposed, however many there are to say it and
/// however much of it, and whether texts are compared by words or by pieces of words.
#[test]
fn noise_is_never_heard() {
    for clients in [20, 60, 200, 1_000] {
        for embedder in [&Bag as &dyn Embedder, &Pieces] {
            let mut plan = plan();
            (plan.clients, plan.days, plan.noise) = (clients, 14, 0.3);
            plan.needs = vec![need(0.0007, (0, 14), &["travel with falcon"])];
            let history = run_with(&plan, &settings(), embedder);
            let proposed = history.events.iter().find_map(|(_, e)| match e {
                LineageEvent::Proposed { proposal } => Some(proposal.patch.key_names()),
                _ => None,
            });
            let of = format!("{clients} clients, {}", embedder.id());
            assert_eq!(proposed, None, "seed {SEED}: {of}");
            // The test has teeth: there was much to hear.
            assert!(history.fragments as usize > clients / 2, "{of}");
        }
    }
}

/// The same plan and seed give the same history.
#[test]
fn a_history_can_be_repeated() {
    let mut plan = plan();
    (plan.days, plan.clients) = (12, 300);
    assert_eq!(run(&plan, &settings()), run(&plan, &settings()));
}

fn attacked(patient: bool) -> Workload {
    let mut plan = plan();
    (plan.days, plan.clients) = (20, 200);
    let phrase = "free upgrade backdoor".to_owned();
    plan.attack = Some(Attack {
        names: 500,
        phrase,
        days: (10, 20),
        patient,
    });
    plan
}

fn of_attack(history: &SimulationHistory) -> (bool, bool) {
    let is = |name: &str| name.contains("backdoor");
    let proposed = history.events.iter().any(|(_, e)| match e {
        LineageEvent::Proposed { proposal } => {
            proposal.patch.new_keys.iter().any(|k| is(&k.key_name))
        }
        _ => false,
    });
    (proposed, activated(history).into_iter().any(is))
}

/// Q30: five hundred fresh names open no gate, even where the policy approves by itself.
#[test]
fn fresh_names_count_as_one() {
    let mut settings = settings();
    settings.patch.policy.ordinary = Approval::Auto;
    assert_eq!(of_attack(&run(&attacked(false), &settings)), (false, false));
    // The test has teeth: without the gate they would.
    settings.gates.sybil.enabled = false;
    assert_eq!(of_attack(&run(&attacked(false), &settings)), (true, true));
}

/// §7, D113: names that behave for days get a proposal, and no further than to whoever approves.
#[test]
fn patience_ends_at_approval() {
    let mut plan = attacked(true);
    assert_eq!(of_attack(&run(&plan, &settings())), (true, false));
    plan.administrators = Administrators::Absent;
    let history = run(&plan, &settings());
    assert_eq!(of_attack(&history), (true, false));
    assert_eq!(activated(&history), Vec::<&str>::new());
}

/// D89, and the fixture of §6.2.2: what one traveller always wants becomes that client's alone.
#[test]
fn a_traveller_gets_keys_of_its_own() {
    let mut plan = plan();
    (plan.days, plan.clients, plan.needs, plan.noise) = (30, 20, Vec::new(), 0.0);
    plan.traveller = vec!["extra legroom".to_owned(), "quiet cabin".to_owned()];
    let history = run(&plan, &settings());
    let own: Vec<_> = history
        .personal_events
        .iter()
        .filter_map(|(_, e)| match e {
            LineageEvent::Activated { patch, .. } => {
                Some((patch.new_keys[0].key_name.as_str(), patch.client.as_deref()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        own,
        [
            ("extra_legroom", Some("traveller")),
            ("quiet_cabin", Some("traveller"))
        ]
    );
    let promoted = history
        .personal_events
        .iter()
        .filter(|(_, e)| matches!(e, LineageEvent::Promoted { .. }))
        .count();
    assert_eq!(promoted, 2);
    assert!(
        !history
            .personal_events
            .iter()
            .any(|(_, e)| matches!(e, LineageEvent::Published { .. }))
    );
    assert_eq!(activated(&history), Vec::<&str>::new());
}
