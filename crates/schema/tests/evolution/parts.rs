//! The parts of §6.2 from outside: what each switch does, what stays apart, and that nobody who
//! knows nothing of it is disturbed.

use super::bag::Bag;
use super::{DAY, HOUR, Story, at, base, name};
use schema::contract::{Contract, Unknown};
use schema::evolution::{
    Approval, Evolution, EvolutionContext, EvolutionOutcome, EvolutionSettings, Fragment,
    FragmentSource, LineageEvent, Parts,
};
use schema::lint::TemplateOrigin;
use schema::other;
use schema::template::{OTHER, Template};
use schema::{read, write};
use serde_json::{Map, Value, json};

/// So many clients say something, one in each minute; what followed.
fn wanted(
    evolution: &mut Evolution,
    settings: &EvolutionSettings,
    clients: usize,
    text: &str,
) -> Vec<LineageEvent> {
    let said = (0..clients).map(|i| (format!("client {i}"), at(i as i64 * 60_000)));
    let mut events = Vec::new();
    for (client, now) in said.collect::<Vec<_>>() {
        events.extend(says(evolution, settings, &client, text, now).events);
    }
    events
}

fn says(
    evolution: &mut Evolution,
    settings: &EvolutionSettings,
    client: &str,
    text: &str,
    now: schema::time::Timestamp,
) -> EvolutionOutcome {
    let source = FragmentSource {
        client: Some(client),
        proven: true,
    };
    let vector = schema::semantics::Embedder::embed(&Bag, text);
    let fragment = Fragment {
        text,
        vector: &vector,
        source: &source,
    };
    with(settings, |means| evolution.take(&fragment, means, now)).unwrap()
}

fn with<T>(settings: &EvolutionSettings, work: impl FnOnce(&EvolutionContext<'_>) -> T) -> T {
    let screen = |text: &str| other::Fragment::new(text)?.screened(80, &[]);
    work(&EvolutionContext {
        settings,
        embedder: &Bag,
        screen: &screen,
        exposes: &|_| false,
        everyones: &[],
    })
}

/// D58: each part has its switch; what is off does nothing, and what it would have fed is as it was.
/// That patches are told in replies and to who asks is the engine's, with switches of their own.
#[test]
fn each_part_has_its_switch() {
    let told = |switch: fn(&mut Parts)| {
        let mut settings = EvolutionSettings::default();
        settings.patch.policy.ordinary = Approval::Auto;
        switch(&mut settings.parts);
        let mut evolution = Evolution::new(base(), None, &Bag).unwrap();
        let grown = wanted(&mut evolution, &settings, 8, "vegetarian meal");
        let week = with(&settings, |means| evolution.tick(means, at(8 * DAY)));
        let names = |events: &[LineageEvent]| match events {
            [] => "nothing".to_owned(),
            events => events.iter().map(name).collect::<Vec<_>>().join(" "),
        };
        format!(
            "{} clusters; {}; after a week: {}",
            evolution.pool().clusters().len(),
            names(&grown),
            names(&week.events)
        )
    };
    let table = [
        ("all on", told(|_| {})),
        ("pool off", told(|parts| parts.pool = false)),
        ("patches off", told(|parts| parts.patches = false)),
        ("evaluation off", told(|parts| parts.evaluation = false)),
        (
            "all off",
            told(|parts| *parts = EvolutionSettings::off().parts),
        ),
    ];
    let table = table.map(|(switched, told)| format!("{switched}: {told}"));
    insta::assert_snapshot!(table.join("\n"), @r"
    all on: 1 clusters; queued proposed approved activated; after a week: extended
    pool off: 0 clusters; nothing; after a week: nothing
    patches off: 1 clusters; nothing; after a week: nothing
    evaluation off: 1 clusters; queued proposed approved activated; after a week: nothing
    all off: 0 clusters; nothing; after a week: nothing
    ");
}

/// Members of templates and keys that draft-zhou §4.1 has.
const DRAFTS: [&str; 8] = [
    "schema_id",
    "scenario",
    "keys",
    "key_name",
    "key_type",
    "required",
    "default_value",
    "semantic_description",
];

fn of_the_draft_only(sent: &Value) -> Value {
    match sent {
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| DRAFTS.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), of_the_draft_only(value)))
            .collect(),
        Value::Array(entries) => entries.iter().map(of_the_draft_only).collect(),
        value => value.clone(),
    }
}

/// Each key as a peer acts on it.
fn outline(template: &Template) -> Vec<String> {
    let keys = template.keys.iter();
    keys.map(|k| {
        format!(
            "{} {:?} {} {:?}",
            k.key_name, k.shape.key_type, k.required, k.default_value
        )
    })
    .collect()
}

/// D59, D64: while keys are on trial, whoever overlooks what the draft's §4.1 does not have reads
/// the same keys, and what it sent before is accepted as before, under the same `schema_id`.
#[test]
fn what_grows_disturbs_nobody() {
    let mut story = Story::begin();
    story.tries("extra", at(0));
    let (before, now) = (base(), story.lineage.current());
    assert_eq!(now.schema_id, before.schema_id);
    let sent = write::template(&now, None);
    assert_ne!(
        of_the_draft_only(&sent),
        sent,
        "there is something to overlook"
    );
    let plain = read::template(&of_the_draft_only(&sent), TemplateOrigin::Peer);
    assert_eq!(outline(&plain.unwrap().template), outline(&now));
    let kept: Vec<_> = outline(&now)
        .into_iter()
        .filter(|k| !k.starts_with("extra "))
        .collect();
    assert_eq!(kept, outline(&before));
    for payload in [
        json!({"origin": "PEK"}),
        json!({"origin": "PEK", "cabin_class": "business", "other": ["a seat", 7]}),
        json!({"origin": "Peking", "extras": 1}),
    ] {
        let checked = |template: &Template| {
            let contract = Contract::new(template).unwrap();
            let accepted = contract.accept(payload.as_object().unwrap().clone(), Unknown::Reject);
            accepted
                .map(|a| (a.values, a.warnings.len()))
                .map_err(|v| v.len())
        };
        assert_eq!(checked(&now), checked(&before), "{payload}");
    }
}

/// D65, D76: a pool is of one scenario and one cohort: what is said here is not heard there, and
/// what one client wants becomes that client's alone.
#[test]
fn pools_are_apart() {
    let mut hotel = base();
    (hotel.schema_id, hotel.scenario) = ("hotel_v1".into(), "hotel".into());
    let settings = EvolutionSettings::default();
    let mut flights = Evolution::new(base(), None, &Bag).unwrap();
    let mut hotels = Evolution::new(hotel, None, &Bag).unwrap();
    let mut annas = Evolution::new(base(), Some("anna".into()), &Bag).unwrap();
    let mut events = Vec::new();
    for i in 0..12 {
        let now = at(i * HOUR);
        events.extend(says(&mut annas, &settings, "anna", "extra legroom", now).events);
    }
    says(&mut hotels, &settings, "bert", "vegetarian meal", at(0));
    let clusters = [&flights, &hotels, &annas].map(|e| e.pool().clusters().len());
    assert_eq!(clusters, [0, 1, 1]);
    assert!(annas.pool().is_personal() && !hotels.pool().is_personal());
    let patch = events.iter().find_map(|event| match event {
        LineageEvent::Proposed { proposal } => Some(&proposal.patch),
        _ => None,
    });
    assert_eq!(patch.unwrap().client.as_deref(), Some("anna"));
    // The same fragments of the same one client open nothing for everyone.
    for i in 0..12 {
        let now = at(i * HOUR);
        let outcome = says(&mut flights, &settings, "anna", "extra legroom", now);
        assert_eq!(outcome.events, []);
    }
}

/// D80, D85: each cluster that fires is made a candidate, held against what is there, and packed:
/// into a new key, or into a better description of one; both are whole patches.
#[test]
fn every_trigger_goes_its_way() {
    let settings = EvolutionSettings::default();
    let mut evolution = Evolution::new(base(), None, &Bag).unwrap();
    let mut events = wanted(&mut evolution, &settings, 12, "vegetarian meal");
    events.extend(wanted(&mut evolution, &settings, 12, "business class"));
    let fired: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            LineageEvent::Queued { cluster, .. } => Some(*cluster),
            _ => None,
        })
        .collect();
    let packed: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            LineageEvent::Proposed { proposal } => Some(proposal),
            _ => None,
        })
        .collect();
    assert_eq!(packed.iter().map(|p| p.cluster).collect::<Vec<_>>(), fired);
    let [new, better] = packed[..] else {
        panic!("{events:?}")
    };
    assert_eq!(new.patch.new_keys[0].key_name, "vegetarian_meal");
    assert_eq!(better.patch.modified_keys[0].key_name, "cabin_class");
    assert_eq!(
        (new.patch.modified_keys.len(), better.patch.new_keys.len()),
        (0, 0)
    );
    for patch in [&new.patch, &better.patch] {
        assert_eq!(patch.parent_schema_id, "flight_booking_v1");
        assert!(patch.expires_at > patch.timestamp && !patch.patch_id.is_empty());
        let annotations = patch.new_keys.iter().map(|k| &k.annotation);
        let annotations = annotations.chain(patch.modified_keys.iter().map(|m| &m.annotation));
        let mut examples = annotations
            .flat_map(|a| a.0.values())
            .flat_map(|d| &d.examples);
        assert!(examples.any(|e| ["vegetarian meal", "business class"].contains(&e.said.as_str())));
    }
}

/// D94, Q37: what a judge says is the accuracy, and nothing else; a key that the judges call wrong
/// goes, however often it is used, and one that they call right stays.
#[test]
fn judges_decide_what_was_meant() {
    let verdict = |matching: usize| {
        let mut story = Story::begin();
        story.tries("extra", at(0));
        let payload: Map<String, Value> = [("extra".to_owned(), json!(true))].into_iter().collect();
        for i in 0..10 {
            story.lineage.observe(&schema::evolution::Observation {
                client: Some("anna"),
                payload: &payload,
                accepted: true,
                now: at(DAY),
            });
            assert!(story.lineage.judge("extra", i < matching, at(DAY)));
        }
        let ratios = story
            .lineage
            .key("extra")
            .unwrap()
            .metrics
            .ratios(30 * DAY, at(DAY));
        let accuracy = ratios.semantic_alignment_accuracy.unwrap();
        story.tick(at(7 * DAY));
        (accuracy, story.state("extra"))
    };
    assert_eq!(verdict(5), (0.5, "deprecated"));
    assert_eq!(verdict(7), (0.7, "experimental"));
    assert_eq!(verdict(8), (0.8, "stable"));
    assert!(!Story::begin().lineage.judge(OTHER, true, at(0)));
}
