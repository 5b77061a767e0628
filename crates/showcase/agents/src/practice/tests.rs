//! People against a small network that breaks, answers and is repaired.

#![allow(clippy::unwrap_used)]

use super::journal::RecordedBoundary;
use super::umbrella::Umbrella;
use super::*;
use crate::alarms::AlarmKey;
use crate::bench::{Net, briefing, id};
use domain::cause::Cause;
use domain::inventory::{Cell, Domain, ElementId, ElementKind, Inventory, RadioUnit};
use domain::telemetry::{
    Action, Alarm, AlarmType, Condition, FieldReport, Measurement, Outcome, Saving, Severity,
    Ticket, Visit,
};
use proptest::prelude::*;
use rand_chacha::rand_core::SeedableRng;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

const ZERO_MS: i64 = 20_000 * 86_400_000;

fn at(seconds: f64) -> Timestamp {
    Timestamp::from_ms(ZERO_MS).plus_s(seconds)
}

/// The next event in the played world.
#[derive(Clone, Debug)]
enum Event {
    Input(Box<Input>),
    Arrive(Token, ElementId),
    End(Token, ElementId),
}

/// A network with broken elements and the alarms of each, and the people who run it.
struct World {
    people: Practice,
    rng: SeededRng,
    now: Timestamp,
    queue: BTreeMap<(Timestamp, u64), Event>,
    count: u64,
    /// The broken elements, with the alarms that stand because of it.
    broken: BTreeMap<ElementId, Vec<(ElementId, AlarmType)>>,
    arrived: BTreeSet<Token>,
    guided: BTreeSet<Token>,
    told: Vec<(f64, String, bool)>,
    saved: Vec<(f64, usize, Saving)>,
    sends: usize,
    /// What cells hear beside their users, in dBm.
    heard: BTreeMap<ElementId, f64>,
    /// The records of the vehicle that is looked up.
    visits: Vec<Visit>,
    /// How many measurements of what works will say that it is broken.
    errs: usize,
}

impl World {
    fn new(inventory: Inventory, policy: PracticePolicy, seed: u64) -> Self {
        Self::of(Practice::new(policy), inventory, seed)
    }

    fn of(people: Practice, inventory: Inventory, seed: u64) -> Self {
        let mut world = Self {
            people,
            rng: SeededRng::seed_from_u64(seed),
            now: at(0.0),
            queue: BTreeMap::new(),
            count: 0,
            broken: BTreeMap::new(),
            arrived: BTreeSet::new(),
            guided: BTreeSet::new(),
            told: vec![],
            saved: vec![],
            sends: 0,
            heard: BTreeMap::new(),
            visits: vec![],
            errs: 0,
        };
        let mut briefing = briefing("oss-fault", vec![]);
        briefing.inventory = Arc::new(inventory);
        world.step(Input::Started(briefing));
        world
    }

    fn town(seed: u64) -> Self {
        Self::new(Net::town().inventory(), PracticePolicy::None, seed)
    }

    fn later(&mut self, seconds: f64, event: Event) {
        self.count += 1;
        self.queue
            .insert((self.now.plus_s(seconds), self.count), event);
    }

    fn at(&mut self, when: Timestamp, input: Input) {
        self.count += 1;
        let event = Event::Input(Box::new(input));
        self.queue.insert((when, self.count), event);
    }

    fn alarm(&mut self, (resource, alarm_type): (ElementId, AlarmType), after: f64, cleared: bool) {
        let alarm = Alarm {
            resource,
            alarm_type,
            qualifier: String::new(),
            severity: Severity::Critical,
            time: self.now.plus_s(after),
            cleared,
            text: String::new(),
        };
        let input = Input::Telemetry(Telemetry::Alarm(alarm));
        self.at(self.now.plus_s(after + 5.0), input);
    }

    fn breaks(&mut self, element: &str, alarms: &[(&str, AlarmType)]) {
        let alarms: Vec<_> = alarms.iter().map(|(e, t)| (id(e), *t)).collect();
        for (n, key) in alarms.iter().enumerate() {
            self.alarm(key.clone(), 1.0 + n as f64, false);
        }
        self.broken.insert(id(element), alarms);
    }

    fn step(&mut self, input: Input) {
        let outputs = self.people.step(input, self.now, &mut self.rng);
        for output in outputs {
            match output {
                Output::Act { token, action } => self.act(token, action),
                Output::Wake { token, at } => self.at(at, Input::Woken(token)),
                Output::Send { .. } => self.sends += 1,
                _ => {}
            }
        }
    }

    fn act(&mut self, token: Token, action: Action) {
        let since = self.now.seconds_since(at(0.0));
        let outcome = match action {
            Action::Probe { element } => Outcome::Measured(self.measure(element)),
            Action::Dispatch { element, .. } => {
                self.later(1_800.0, Event::Arrive(token, element));
                Outcome::Dispatched { arrival: self.now }
            }
            Action::Guide {
                dispatch, element, ..
            } => {
                self.guided.insert(dispatch);
                self.later(2_700.0, Event::End(dispatch, element));
                Outcome::Guided
            }
            Action::SetSaving { cells, saving } => {
                self.saved.push((since, cells.len(), saving));
                Outcome::Done
            }
            Action::Trace { .. } => {
                // One province has the records, the other has none.
                let visits = std::mem::take(&mut self.visits);
                for visits in [visits, vec![]] {
                    let (left_to, came_from) = (None, None);
                    let outcome = Outcome::Traced {
                        visits,
                        left_to,
                        came_from,
                    };
                    let input = Input::Acted { token, outcome };
                    self.later(60.0, Event::Input(Box::new(input)));
                }
                return;
            }
            Action::TellCustomer { text, question, .. } => {
                self.told.push((since, text, question));
                Outcome::Told
            }
            other => Outcome::Impossible(format!("{other:?}")),
        };
        let input = Input::Acted { token, outcome };
        self.later(60.0, Event::Input(Box::new(input)));
    }

    fn measure(&mut self, element: ElementId) -> Measurement {
        let errs = !self.heard.contains_key(&element) && self.errs > 0;
        self.errs -= usize::from(errs);
        let broken = self.broken.contains_key(&element) || errs;
        let mut readings = BTreeMap::new();
        if let Some(dbm) = self.heard.get(&element) {
            readings.insert("interference_dbm".to_owned(), *dbm);
        }
        if broken && element.as_str().starts_with("link") {
            readings.insert("light_a_dbm".to_owned(), -40.0);
            readings.insert("reflection_km".to_owned(), 3.0);
        }
        Measurement {
            element,
            condition: match broken {
                true => Condition::Failed,
                false => Condition::Good,
            },
            readings,
        }
    }

    fn run_until(&mut self, seconds: f64) {
        while let Some(entry) = self.queue.first_entry() {
            if entry.key().0 > at(seconds) {
                break;
            }
            let ((when, _), event) = entry.remove_entry();
            self.now = when;
            match event {
                Event::Input(input) => self.step(*input),
                Event::Arrive(token, element) => {
                    self.arrived.insert(token);
                    let question = "What do I do?".to_owned();
                    self.step(Input::Telemetry(Telemetry::Field(FieldReport::Arrived {
                        token,
                        element,
                        question,
                    })));
                }
                Event::End(token, element) => {
                    let mended = self.broken.remove(&element);
                    for key in mended.iter().flatten() {
                        self.alarm(key.clone(), 30.0, true);
                    }
                    self.step(Input::Telemetry(Telemetry::Field(FieldReport::Ended {
                        token,
                        element,
                        repaired: mended.is_some(),
                        finding: String::new(),
                    })));
                }
            }
        }
    }
}

use AlarmType::*;

const CARD: [(&str, AlarmType); 8] = [
    ("link:B-b1", LinkDown),
    ("link:B-b2", LinkDown),
    ("card:B/1", CardFailure),
    ("site:b1", SiteUnreachable),
    ("site:b2", SiteUnreachable),
    ("site:b3", SiteUnreachable),
    ("site:b4", SiteUnreachable),
    ("site:b4", CellsOutOfService),
];

/// Draft §2.1: without agents such an operation typically takes over one hour.
#[test]
fn a_batch_outage_takes_people_over_an_hour() {
    let mut hours: Vec<f64> = Vec::new();
    for seed in 0..40 {
        let mut world = World::town(seed);
        world.breaks("card:B/1", &CARD);
        world.run_until(86_400.0);
        let cases = &world.people.journal().cases;
        assert_eq!(cases.len(), 2, "each desk has a case of its own");
        let transport = cases.iter().find(|c| c.domain == Domain::Ip).unwrap();
        // The first alarm is the link's: it is checked, found to work, and the card is next.
        assert_eq!(transport.blamed[0], (id("link:B-b1"), Cause::FibreCut));
        assert_eq!(
            transport.located,
            Some((id("card:B/1"), Cause::CardFailure))
        );
        assert!(cases.iter().all(|c| c.closed_at.is_some()), "{cases:#?}");
        let wireless = cases.iter().find(|c| c.domain == Domain::Wireless).unwrap();
        assert_eq!(wireless.sites.len(), 4);
        assert_eq!(
            wireless.blamed[0].1,
            Cause::MainsFailure,
            "own domain first"
        );
        let located = transport.located_at.unwrap();
        hours.push(located.seconds_since(transport.first_alarm_at) / 3_600.0);
    }
    hours.sort_by(f64::total_cmp);
    assert!(hours[hours.len() / 2] > 1.0, "{hours:?}");
    assert!(hours[0] > 0.5 && hours[39] < 4.0, "{hours:?}");
}

/// Power is the wireless desk's own: it needs no telephone.
#[test]
fn a_dead_zone_is_found_by_its_own_desk() {
    let mut world = World::town(3);
    let alarms = [
        ("site:b5", MainsFailure),
        ("site:b2", MainsFailure),
        ("site:b5", SiteUnreachable),
    ];
    world.breaks("zone:b", &alarms);
    world.run_until(86_400.0);
    let cases = &world.people.journal().cases;
    assert_eq!(cases.len(), 1);
    assert_eq!(cases[0].located, Some((id("zone:b"), Cause::MainsFailure)));
    assert_eq!(cases[0].wrong_dispatches(), 0);
    assert!(cases[0].closed_at.is_some());
}

/// What no list shows is driven to: the site itself, in the end.
#[test]
fn a_site_that_stopped_is_driven_to_after_power_and_transport_were_looked_at() {
    let mut world = World::town(5);
    let alarms = [("site:b5", SiteUnreachable), ("site:b5", CellsOutOfService)];
    world.breaks("site:b5", &alarms);
    world.run_until(2.0 * 86_400.0);
    let case = &world.people.journal().cases[0];
    let blamed: Vec<&str> = case.blamed.iter().map(|(e, _)| e.as_str()).collect();
    assert_eq!(blamed, ["zone:b", "link:B-b5", "site:b5"]);
    assert_eq!(case.dispatched.last().unwrap().repaired, Some(true));
}

/// Warnings are gone through every four hours; agents go before service is lost.
#[test]
fn a_warning_waits_for_the_next_round() {
    let inventory = Net::town().with_optics().inventory();
    let mut world = World::new(inventory, PracticePolicy::None, 1);
    world.run_until(9.0 * 3_600.0);
    world.alarm((id("optic:B-b5/a"), OpticalPowerLow), 1.0, false);
    world.broken.insert(
        id("optic:B-b5/a"),
        vec![(id("optic:B-b5/a"), OpticalPowerLow)],
    );
    world.run_until(11.9 * 3_600.0);
    assert!(world.people.journal().cases.is_empty());
    world.run_until(40.0 * 3_600.0);
    let case = &world.people.journal().cases[0];
    assert_eq!(
        case.located,
        Some((id("optic:B-b5/a"), Cause::OpticalModuleAgeing))
    );
    assert_eq!(case.first_alarm_at, at(12.0 * 3_600.0));
}

fn document_cell(inventory: &mut Inventory, site: &str, cell: &str) {
    let mut element = inventory.elements[&id(site)].clone();
    element.id = id(cell);
    element.kind = ElementKind::Cell;
    element.parent = Some(id(site));
    inventory.elements.insert(element.id.clone(), element);
}

/// The cell that alarms first is not the one that is driven to: the loudest is.
#[test]
fn a_disturber_is_hunted_by_what_the_cells_hear() {
    let mut inventory = Net::town().inventory();
    document_cell(&mut inventory, "site:b1", "cell:b1/0");
    document_cell(&mut inventory, "site:b2", "cell:b2/0");
    let mut world = World::new(inventory, PracticePolicy::Manual, 3);
    world.heard = [(id("cell:b1/0"), -93.0), (id("cell:b2/0"), -81.0)].into();
    let alarms = ["cell:b1/0", "cell:b2/0"].map(|cell| (cell, InterferenceHigh));
    world.breaks("cell:b2/0", &alarms);
    world.run_until(86_400.0);
    let case = &world.people.journal().cases[0];
    let loudest = (id("cell:b2/0"), Cause::Interference);
    assert_eq!(case.blamed, std::slice::from_ref(&loudest));
    assert_eq!(case.located, Some(loudest));
    assert_eq!(case.dispatched.len(), 1);
    assert!(case.closed_at.is_some());
}

/// Nobody goes where no more is heard than a receiver's own noise, nor where one measurement of several
/// says that something is broken.
#[test]
fn what_measurements_do_not_bear_out_is_not_driven_to() {
    let mut inventory = with_cells();
    document_cell(&mut inventory, "site:b1", "cell:b1/00");
    document_cell(&mut inventory, "site:b1", "cell:b1/01");
    let mut world = World::new(inventory, PracticePolicy::Manual, 3);
    world.heard = [(id("cell:b1/00"), -95.0)].into();
    world.alarm((id("cell:b1/00"), InterferenceHigh), 1.0, false);
    world.errs = 1;
    world.alarm((id("cell:b1/01"), CellUnavailable), 1.0, false);
    world.run_until(5.0 * 86_400.0);
    let case = &world.people.journal().cases[0];
    assert!(case.dispatched.is_empty(), "{case:?}");
    assert!(case.closed_at.is_some() && world.errs == 0, "{case:?}");
}

/// A correlator that always says the same, and takes down what it is asked.
#[derive(Debug)]
struct Says(ElementId, Cause, Arc<Mutex<usize>>);

impl Umbrella for Says {
    fn suspects(
        &self,
        case: &BTreeSet<AlarmKey>,
        standing: &BTreeMap<AlarmKey, Timestamp>,
        now: Timestamp,
    ) -> Vec<(ElementId, Cause)> {
        assert!(case.iter().all(|key| standing[key] <= now));
        let mut most = self.2.lock().unwrap();
        *most = standing.len().max(*most);
        vec![(self.0.clone(), self.1)]
    }
}

/// With an umbrella correlator one case holds the alarms of both domains, what it suspects is looked
/// at first, and nobody telephones.
#[test]
fn an_umbrella_correlator_saves_the_telephone() {
    let located = |people: Practice| {
        let mut world = World::of(people, Net::town().inventory(), 7);
        world.breaks("card:B/1", &CARD);
        world.run_until(86_400.0);
        let cases = world.people.journal().cases.clone();
        let right = Some((id("card:B/1"), Cause::CardFailure));
        let first = cases.iter().find(|case| case.located == right);
        let at = first.and_then(|case| case.located_at).unwrap();
        (cases, at)
    };
    let people = || Practice::new(PracticePolicy::Manual);
    let (manual, by_hand) = located(people());
    let most = Arc::new(Mutex::new(0));
    let says = Says(id("card:B/1"), Cause::CardFailure, Arc::clone(&most));
    let umbrella = Box::new(|_| -> Box<dyn Umbrella> { Box::new(says) });
    let (correlated, at) = located(people().with_umbrella(umbrella));
    assert_eq!((manual.len(), correlated.len()), (2, 1));
    let only = &correlated[0];
    assert_eq!(only.blamed, [(id("card:B/1"), Cause::CardFailure)]);
    assert_eq!((only.sites.len(), only.wrong_dispatches()), (4, 0));
    assert!(at < by_hand);
    assert_eq!(*most.lock().unwrap(), CARD.len(), "it sees both lists");
}

/// What is assumed of people can be set, and shows.
#[test]
fn who_notices_later_locates_later() {
    let located = |notice: f64| {
        let durations = PracticeDurations::default().with(PracticeStep::Notice, (notice, notice));
        let people = Practice::new(PracticePolicy::Manual).with_durations(durations);
        let mut world = World::town(3);
        world.people = people;
        let mut briefing = briefing("oss-fault", vec![]);
        briefing.inventory = Arc::new(Net::town().inventory());
        world.step(Input::Started(briefing));
        world.breaks("zone:b", &[("site:b5", MainsFailure)]);
        world.run_until(86_400.0);
        world.people.journal().cases[0].located_at.unwrap()
    };
    assert!(located(120.0).seconds_since(located(1.0)) > 6_000.0);
}

#[test]
fn what_clears_before_anybody_looks_is_never_opened() {
    let mut world = World::town(2);
    world.alarm((id("link:B-b5"), LinkDown), 1.0, false);
    world.alarm((id("link:B-b5"), LinkDown), 90.0, true);
    world.run_until(86_400.0);
    let case = &world.people.journal().cases[0];
    assert_eq!((case.opened_at, case.dispatched.len()), (None, 0));
    assert!(case.closed_at.is_some());
}

/// One person works by night: on what takes most sites out, whatever came first.
#[test]
fn the_larger_outage_is_worked_on_first() {
    for seed in 0..20 {
        let mut world = World::town(seed);
        world.breaks("zone:a", &[("site:a1", MainsFailure)]);
        let larger = [("site:b5", MainsFailure), ("site:b2", MainsFailure)];
        world.breaks("zone:b", &larger);
        world.run_until(20_000.0);
        let cases = &world.people.journal().cases;
        assert_eq!((&*cases[0].place, &*cases[1].place), ("Aachen", "Bonn"));
        let located = |case: usize| cases[case].located_at.unwrap();
        assert!(located(1) < located(0), "seed {seed}");
    }
}

/// An alarm whose end was lost keeps nobody busy for ever.
#[test]
fn an_alarm_that_never_clears_is_held_to_be_false_in_the_end() {
    let mut world = World::town(2);
    world.alarm((id("link:B-b5"), LinkDown), 1.0, false);
    world.run_until(5.0 * 86_400.0);
    let case = &world.people.journal().cases[0];
    assert!(case.closed_at.is_some() && case.dispatched.is_empty());
}

fn with_cells() -> Inventory {
    let mut inventory = Net::town().inventory();
    for n in 0..16 {
        let unit = match n % 4 {
            0 => RadioUnit::Type10,
            1 => RadioUnit::Type9,
            _ => RadioUnit::Type4,
        };
        let cell = Cell {
            azimuth_degrees: 0.0,
            carrier_mhz: 800.0,
            bandwidth_mhz: 10.0,
            power_dbm: 46.0,
            radio_unit: unit,
            capacity_layer: n % 2 == 0,
            neighbours: vec![],
        };
        inventory.cells.insert(id(&format!("cell:b1/{n:02}")), cell);
    }
    inventory
}

/// All cells rest between symbols, as where agents save; a quarter of them sleeps from 2 to 6,
/// whatever happens, first those whose sleep is measured to save most. Without saving, none does.
#[test]
fn the_timer_lets_a_quarter_sleep_every_night() {
    let mut world = World::new(with_cells(), PracticePolicy::Manual, 1);
    world.run_until(2.0 * 86_400.0 - 1.0);
    let mut counts = std::collections::BTreeMap::new();
    for (s, cells, saving) in &world.saved {
        *counts.entry(((*s / 3_600.0) as u32, *saving)).or_insert(0) += cells;
    }
    let rows: Vec<String> = counts
        .iter()
        .map(|((hour, saving), cells)| format!("{hour} h: {cells} {}", saving.as_str()))
        .collect();
    insta::assert_snapshot!(rows.join("\n"), @r"
    0 h: 16 symbol-shutdown
    2 h: 4 deep-sleep
    6 h: 4 symbol-shutdown
    26 h: 4 deep-sleep
    30 h: 4 symbol-shutdown
    ");
    let mut none = World::new(with_cells(), PracticePolicy::None, 1);
    none.run_until(2.0 * 86_400.0);
    assert!(none.saved.is_empty());
}

fn provinces() -> Inventory {
    let mut inventory = Net::town().inventory();
    for (town, province) in [("Aachen", "South"), ("Bonn", "South"), ("Celle", "North")] {
        inventory.provinces.insert(town.into(), province.into());
    }
    inventory
}

fn complained(world: &mut World, hour: f64, number: &str, text: &str) {
    let ticket = Ticket {
        ticket: number.into(),
        time: at(hour * 3_600.0),
        from: "maker".into(),
        language: "en".into(),
        text: text.into(),
    };
    world.at(
        at(hour * 3_600.0),
        Input::Telemetry(Telemetry::Ticket(ticket)),
    );
}

/// Complaints are read one by one, the home province first, forwarded, and asked back about once.
#[test]
fn complaints_are_read_one_by_one_forwarded_and_asked_back_about() {
    let mut world = World::new(provinces(), PracticePolicy::None, 4);
    complained(&mut world, 9.0, "1", "No service in Celle since noon");
    complained(
        &mut world,
        9.0,
        "2",
        "The car lost its connection near Bonn",
    );
    complained(&mut world, 9.0, "3", "My bill is wrong");
    complained(&mut world, 9.0, "4", "It does not work");
    world.run_until(5.0 * 86_400.0);
    let records = &world.people.journal().complaints;
    let hours = |t: Option<Timestamp>| t.map(|t| t.seconds_since(at(0.0)) / 3_600.0);
    let (celle, bonn, bill, nothing) = (&records[0], &records[1], &records[2], &records[3]);
    let province = |name: &str| Some(RecordedBoundary::Province(name.into()));
    assert_eq!(
        (celle.boundary.clone(), celle.questions),
        (province("North"), 1)
    );
    assert!(celle.forwarded_at.is_none());
    // Nobody answers: a day later the town must do.
    assert!(hours(celle.replied_at).unwrap() > 33.0);
    assert_eq!(bonn.boundary, province("South"));
    assert!((9.5..14.0).contains(&hours(bonn.forwarded_at).unwrap()));
    assert_eq!(bill.boundary, Some(RecordedBoundary::Outside));
    // One after the other: the third is read at least an hour later.
    assert!(hours(bill.replied_at).unwrap() > 10.0);
    assert_eq!(
        (nothing.questions, nothing.boundary.clone()),
        (1, Some(RecordedBoundary::Unclear))
    );
    let replies = world.told.iter().filter(|(_, _, question)| !question);
    assert_eq!(replies.count(), 4, "one reply each");
}

#[test]
fn an_answer_of_the_customer_is_read_again() {
    let mut world = World::new(provinces(), PracticePolicy::None, 4);
    complained(&mut world, 9.0, "1", "It does not work");
    let answered = Telemetry::CustomerAnswered {
        ticket: "1".into(),
        text: "Near Celle it was".into(),
    };
    world.at(at(11.0 * 3_600.0), Input::Telemetry(answered));
    world.run_until(4.0 * 86_400.0);
    let record = &world.people.journal().complaints[0];
    assert_eq!(
        record.boundary,
        Some(RecordedBoundary::Province("North".into()))
    );
    assert_eq!(world.told.iter().filter(|(_, _, q)| !q).count(), 1);
}

/// People can say all that agents can: the second line looks a vehicle up.
#[test]
fn a_vehicle_is_looked_up_and_coverage_told_from_a_broken_modem() {
    let judged = |rsrp_dbm: f64| {
        let mut inventory = provinces();
        let mut cell = inventory.elements[&id("site:b1")].clone();
        cell.id = id("cell:b1/0");
        cell.kind = ElementKind::Cell;
        cell.parent = Some(id("site:b1"));
        inventory.elements.insert(cell.id.clone(), cell);
        let mut world = World::new(inventory, PracticePolicy::None, 4);
        world.visits = vec![Visit {
            cell: id("cell:b1/0"),
            from: at(3.0 * 3_600.0),
            until: at(9.0 * 3_600.0),
            rsrp_dbm,
            throughput_mbps: 40.0,
            failures: 0,
        }];
        let text = "There was a terrible lag near Celle today at 8:10. VIN: 0HVA7K2M9B4813189.";
        complained(&mut world, 9.0, "1", text);
        world.run_until(4.0 * 86_400.0);
        world.people.journal().complaints[0].boundary.clone()
    };
    assert_eq!(judged(-118.0), Some(RecordedBoundary::Coverage));
    assert_eq!(judged(-80.0), Some(RecordedBoundary::Customer));
    let mut world = World::new(provinces(), PracticePolicy::None, 4);
    let text = "The SIM card of my car is not recognised, the phone works.";
    complained(&mut world, 9.0, "1", text);
    world.run_until(86_400.0);
    let said = world.people.journal().complaints[0].boundary.clone();
    assert_eq!(said, Some(RecordedBoundary::Customer));
}

const FAULTS: [(&str, &[(&str, AlarmType)]); 5] = [
    ("card:B/1", &CARD),
    (
        "link:B-b5",
        &[
            ("link:B-b5", LossOfSignal),
            ("link:B-b5", LinkDown),
            ("site:b5", SiteUnreachable),
        ],
    ),
    (
        "zone:bb",
        &[
            ("site:b1", MainsFailure),
            ("site:b3", MainsFailure),
            ("site:b6", SiteUnreachable),
        ],
    ),
    (
        "link:A-a1",
        &[("link:A-a1", LossOfSignal), ("site:a1", CellsOutOfService)],
    ),
    (
        "router:C",
        &[("router:C", NodeUnreachable), ("link:B-C", LinkDown)],
    ),
];

fn played(faults: &BTreeMap<usize, u32>, seed: u64) -> World {
    let mut world = World::town(seed);
    let mut strikes: Vec<(u32, usize)> = faults.iter().map(|(f, at)| (*at, *f)).collect();
    strikes.sort_unstable();
    for (s, fault) in strikes {
        world.run_until(f64::from(s));
        world.now = world.now.max(at(f64::from(s)));
        world.breaks(FAULTS[fault].0, FAULTS[fault].1);
    }
    world.run_until(12.0 * 86_400.0);
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Laws of practice: nobody is messaged, whoever stands in the field is guided, what breaks is
    /// mended, every case ends, times are in order, and the same seed gives the same journal.
    #[test]
    fn everything_ends_and_nobody_is_left_in_the_field(
        faults in proptest::collection::btree_map(0usize..FAULTS.len(), 0u32..40_000, 1..5),
        seed in 0u64..1_000,
    ) {
        let world = played(&faults, seed);
        prop_assert_eq!(world.sends, 0);
        prop_assert_eq!(&world.arrived, &world.guided);
        prop_assert!(world.broken.is_empty(), "{:?}", world.broken.keys());
        for case in &world.people.journal().cases {
            prop_assert!(case.closed_at.is_some(), "{case:?}");
            let times = [Some(case.first_alarm_at), case.opened_at, case.located_at, case.closed_at];
            let times: Vec<Timestamp> = times.into_iter().flatten().collect();
            prop_assert!(times.is_sorted(), "{times:?}");
            prop_assert!(case.dispatched.iter().all(|d| d.repaired.is_some()));
        }
        let again = played(&faults, seed);
        prop_assert_eq!(again.people.journal(), world.people.journal());
    }
}
