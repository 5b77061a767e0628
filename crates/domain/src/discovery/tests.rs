//! Rank and reasons by example, and the index against a filter that reads every profile.

use super::*;
use crate::profile::{Capability, Layer};
use crate::registry::{Command, Reach, Terms};
use crate::time::Timestamp;
use insta::assert_snapshot;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

fn skill(name: &str, description: &str, tags: &[&str], modes: [&str; 2], schema: &str) -> Skill {
    let list = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
    Skill {
        name: name.into(),
        description: description.into(),
        tags: list(tags),
        input_modes: list(&modes[..1]),
        output_modes: list(&modes[1..]),
        examples: vec![],
        schemas: list(&[schema]),
    }
}

fn profile(name: &str, domain: &str, object: &str, skills: Vec<Skill>) -> Profile {
    Profile {
        name: name.into(),
        alias: None,
        description: String::new(),
        agent_type: None,
        version: "1.0.0".into(),
        provider: "p".into(),
        domain: Some(domain.into()),
        management_object: Some(object.into()),
        layer: Layer::Resource,
        province: None,
        capability: Capability::default(),
        skills,
        authentication: vec![],
    }
}

fn registered(profile: Profile) -> Registration {
    let terms = Terms {
        profile: Arc::new(profile),
        reach: Reach::Client,
        lease_ms: 10_000,
    };
    Registration::first(terms, Timestamp::from_ms(0)).unwrap()
}

fn after(mut registration: Registration, command: Command, at_ms: i64) -> Registration {
    let event = registration.decide(command, Timestamp::from_ms(at_ms));
    registration.apply(&event.unwrap());
    registration
}

fn renewed(registration: Registration, health: Health) -> Registration {
    let note = "one card down".to_owned();
    after(registration, Command::Renew { health, note }, 0)
}

fn expired(registration: Registration) -> Registration {
    after(registration, Command::Expire, 10_000)
}

fn company() -> Vec<Registration> {
    let text = ["text", "text"];
    let fibre = skill(
        "fault-diagnosis",
        "Measures the light on fibres and says where they are cut.",
        &["fault", "Fibre"],
        text,
        "fault_diagnosis_v1",
    );
    let report = skill(
        "incident-reporting",
        "Reports incidents of the routers.",
        &["fault", "alarm"],
        text,
        "fault_incident_v1",
    );
    let picture = skill(
        "inspection",
        "Looks at photographs of masts; says what is broken.",
        &["fault"],
        ["image", "text"],
        "inspection_v1",
    );
    let chinese = skill(
        "故障诊断",
        "诊断基站断站的原因。",
        &["故障"],
        text,
        "fault_diagnosis_v1",
    );
    [
        profile(
            "optical",
            "Optical, Transmit",
            "fibres and amplifiers",
            vec![fibre.clone()],
        ),
        profile(
            "router",
            "IP",
            "routers, line cards and links",
            vec![report, fibre],
        ),
        profile("mast", "Wireless", "masts", vec![picture]),
        profile("wuxian", "Wireless", "基站", vec![chinese]),
    ]
    .map(registered)
    .into()
}

fn index(agents: impl IntoIterator<Item = Registration>) -> Index {
    let mut index = Index::new();
    for agent in agents {
        index.put(Arc::new(agent));
    }
    index
}

fn found(index: &Index, criteria: &Criteria) -> String {
    let mut told = String::new();
    for found in index.search(criteria, 10) {
        told.push_str(&format!("{} {}\n", found.name, found.score));
        for reason in found.reasons {
            told.push_str(&format!("  {reason}\n"));
        }
    }
    told
}

fn text(text: &str) -> Criteria {
    Criteria {
        text: Some(text.into()),
        ..Criteria::default()
    }
}

#[test]
fn every_criterion_is_a_reason() {
    let all = Criteria {
        skill: Some("Fault-Diagnosis".into()),
        tags: vec!["fibre".into(), "FAULT".into()],
        input_mode: Some("text".into()),
        output_mode: Some("text".into()),
        domain: Some("transmit".into()),
        management_object: Some("amplifiers".into()),
        schema: Some("fault_diagnosis_v1".into()),
        text: Some("Where is the fibre broken?".into()),
    };
    assert_snapshot!(found(&index(company()), &all), @r"
    optical 292
      It has the skill 'fault-diagnosis'.
      Its skill 'fault-diagnosis' is tagged 'fibre', 'FAULT'.
      Its skill 'fault-diagnosis' takes the mode 'text'.
      Its skill 'fault-diagnosis' gives the mode 'text'.
      Its skill 'fault-diagnosis' takes the schema 'fault_diagnosis_v1'.
      It works in the domain 'transmit'.
      It manages 'amplifiers', as part of 'fibres and amplifiers'.
      Its profile speaks of 'where', 'the', 'fibre'.
    ");
}

#[test]
fn what_is_said_of_skills_holds_for_one_skill() {
    let index = index(company());
    let asked = |tags: &[&str], schema: &str| Criteria {
        tags: tags.iter().map(|t| (*t).to_owned()).collect(),
        schema: Some(schema.into()),
        ..Criteria::default()
    };
    assert_snapshot!(found(&index, &asked(&["fault"], "fault_incident_v1")), @r"
    router 1000
      Its skill 'incident-reporting' is tagged 'fault'.
      Its skill 'incident-reporting' takes the schema 'fault_incident_v1'.
    ");
    // The router has both, but not in one skill.
    assert_snapshot!(found(&index, &asked(&["fibre"], "fault_incident_v1")), @"");
}

#[test]
fn rare_words_and_words_in_names_weigh_more() {
    let index = index(company());
    assert_snapshot!(found(&index, &text("which links of the routers are broken")), @r"
    router 378
      Its profile speaks of 'links', 'of', 'the', 'routers', 'are'.
    mast 150
      Its profile speaks of 'of', 'broken'.
    optical 100
      Its profile speaks of 'the', 'are'.
    ");
    assert_snapshot!(found(&index, &text("fibres")), @r"
    optical 852
      Its profile speaks of 'fibres'.
    router 696
      Its profile speaks of 'fibres'.
    ");
    assert_snapshot!(found(&index, &text("断站故障")), @r"
    wuxian 453
      Its profile speaks of '断站', '故障'.
    ");
    assert_snapshot!(found(&index, &text("submarine")), @"");
}

#[test]
fn whoever_asks_for_nothing_gets_everyone_by_name() {
    let index = index(company());
    assert_snapshot!(found(&index, &Criteria::default()), @r"
    mast 1000
    optical 1000
    router 1000
    wuxian 1000
    ");
    assert_snapshot!(found(&index, &text(" … ")), @r"
    mast 1000
    optical 1000
    router 1000
    wuxian 1000
    ");
    assert_eq!(index.search(&Criteria::default(), 2).len(), 2);
    assert!(index.search(&Criteria::default(), 0).is_empty());
}

#[test]
fn health_counts_and_absence_excludes() {
    let [optical, router, mast, wuxian] = company().try_into().unwrap();
    let agents = [
        renewed(optical, Health::Degraded),
        router,
        expired(mast),
        renewed(wuxian, Health::Failing),
    ];
    assert_snapshot!(found(&index(agents), &Criteria::default()), @r"
    router 1000
    optical 500
      It is degraded, 'one card down', which halves its score.
    ");
}

#[test]
fn news_replace_and_leaving_removes() {
    let mut index = index(company());
    index.put(Arc::new(registered(profile("optical", "IP", "x", vec![]))));
    assert_eq!(index.len(), 4);
    assert!(found(&index, &text("amplifiers")).is_empty());
    for agent in company() {
        index.remove(&agent.profile.name);
        index.remove("nobody");
    }
    assert!(index.is_empty() && index.search(&Criteria::default(), 10).is_empty());
}

#[test]
fn a_profile_stuffed_with_words_ranks_behind_one_that_means_them() {
    let stuffed = (0..300)
        .map(|i| format!("word{i}"))
        .collect::<Vec<_>>()
        .join(" ");
    let stuffed = skill(
        "all",
        &format!("fibre {stuffed}"),
        &[],
        ["text", "text"],
        "s_v1",
    );
    let mut agents = company();
    agents.push(registered(profile(
        "stuffed",
        "IP",
        "everything",
        vec![stuffed],
    )));
    let ranked = index(agents).search(&text("fibre"), 10);
    assert_eq!(ranked.last().unwrap().name, "stuffed");
}

/// The agents that satisfy the criteria, found by reading every profile.
fn naive(agents: &[Registration], criteria: &Criteria) -> BTreeSet<String> {
    let same = |a: &str, b: &str| a.trim().to_lowercase() == b.trim().to_lowercase();
    let among = |wanted: &str, list: &[String]| list.iter().any(|item| same(wanted, item));
    let stated = |wanted: &Option<String>, test: &dyn Fn(&str) -> bool| {
        wanted.as_ref().is_none_or(|w| test(w))
    };
    let skilled = |skill: &Skill| {
        stated(&criteria.skill, &|w| same(w, &skill.name))
            && criteria.tags.iter().all(|tag| among(tag, &skill.tags))
            && stated(&criteria.input_mode, &|w| among(w, &skill.input_modes))
            && stated(&criteria.output_mode, &|w| among(w, &skill.output_modes))
            && stated(&criteria.schema, &|w| among(w, &skill.schemas))
    };
    let stems = |text: &str| -> Vec<String> {
        let words = words::words(text);
        words
            .iter()
            .map(|w| language::word::singular(w).into_owned())
            .collect()
    };
    let speaks = |profile: &Profile, wanted: &str| {
        let about = [&profile.domain, &profile.management_object];
        let mut texts: Vec<&str> = about.into_iter().flatten().map(String::as_str).collect();
        for skill in &profile.skills {
            texts.push(&skill.name);
            texts.extend(skill.tags.iter().chain(&skill.schemas).map(String::as_str));
        }
        let has = stems(&texts.join(" | "));
        let wanted = stems(wanted);
        wanted.is_empty() || wanted.iter().any(|word| has.contains(word))
    };
    let fits = |agent: &&Registration| {
        let profile = &agent.profile;
        let object = profile
            .management_object
            .clone()
            .unwrap_or_default()
            .to_lowercase();
        let domains = profile.domain.clone().unwrap_or_default();
        let domains: Vec<String> = domains.split(',').map(str::to_owned).collect();
        agent.is_available()
            && (!criteria.is_about_skills() || profile.skills.iter().any(skilled))
            && stated(&criteria.domain, &|w| among(w, &domains))
            && stated(&criteria.management_object, &|w| {
                object.contains(&w.trim().to_lowercase())
            })
            && stated(&criteria.text, &|w| speaks(profile, w))
    };
    agents
        .iter()
        .filter(fits)
        .map(|a| a.profile.name.clone())
        .collect()
}

/// Few words, so that agents and criteria meet; none of them stands in a profile's other leaves
/// or their names.
const WORDS: [&str; 6] = ["fibre", "Fibre", "link", "links", "基站", "站"];

fn word() -> impl Strategy<Value = String> {
    (0..WORDS.len()).prop_map(|w| WORDS[w].to_owned())
}

fn some_skill() -> impl Strategy<Value = Skill> {
    let list = || prop::collection::vec(word(), 0..3);
    (word(), list(), list(), list(), list()).prop_map(|(name, tags, inputs, outputs, schemas)| {
        Skill {
            name,
            tags,
            input_modes: inputs,
            output_modes: outputs,
            schemas,
            ..Skill::default()
        }
    })
}

fn some_agent() -> impl Strategy<Value = (Profile, usize)> {
    let skills = prop::collection::vec(some_skill(), 0..3);
    let place = (prop::option::of(word()), word(), prop::option::of(word()));
    (0..8u8, skills, place, 0..5usize).prop_map(|(n, skills, (domain, second, object), state)| {
        let domain = domain.map(|d| format!("{d}, {second}"));
        let mut agent = profile(&format!("a{n}"), "", "", skills);
        (agent.domain, agent.management_object) = (domain, object);
        (agent, state)
    })
}

fn some_criteria() -> impl Strategy<Value = Criteria> {
    let one = || prop::option::weighted(0.25, word());
    let tags = prop::collection::vec(word(), 0..2);
    (one(), tags, one(), one(), one(), one(), one(), one()).prop_map(
        |(skill, tags, input_mode, output_mode, domain, management_object, schema, text)| {
            Criteria {
                skill,
                tags,
                input_mode,
                output_mode,
                domain,
                management_object,
                schema,
                text,
            }
        },
    )
}

proptest! {
    #[test]
    fn all_that_fit_are_found_and_nobody_else(
        agents in prop::collection::vec(some_agent(), 0..20),
        left in prop::collection::btree_set(0..8u8, 0..4),
        questions in prop::collection::vec(some_criteria(), 1..8),
    ) {
        let (mut index, mut present) = (Index::new(), Vec::<Registration>::new());
        for (profile, state) in agents {
            // Straight into the table: what a skill may be called is not asked here.
            let mut agent = Registration::hosted(Arc::new(profile), Timestamp::from_ms(0));
            agent.health = *Health::ALL.get(state).unwrap_or(&Health::Ok);
            agent.expired = state == 3;
            present.retain(|known| known.profile.name != agent.profile.name);
            index.put(Arc::new(agent.clone()));
            present.push(agent);
        }
        for name in left.iter().map(|n| format!("a{n}")) {
            index.remove(&name);
            present.retain(|known| known.profile.name != name);
        }
        prop_assert_eq!(index.len(), present.len());
        for criteria in questions {
            let found = index.search(&criteria, 100);
            let names: BTreeSet<String> = found.iter().map(|m| m.name.clone()).collect();
            prop_assert_eq!(&names, &naive(&present, &criteria), "{:?}", criteria);
            prop_assert_eq!(names.len(), found.len());
            let ranked = |pair: &[Match]| {
                (pair[1].score, &pair[0].name) < (pair[0].score, &pair[1].name)
            };
            prop_assert!(found.windows(2).all(ranked), "{:?}", found);
            prop_assert!(found.iter().all(|m| (1..=1_000).contains(&m.score)));
            let first = index.search(&criteria, 2);
            prop_assert_eq!(first.as_slice(), &found[..found.len().min(2)]);
        }
    }
}
