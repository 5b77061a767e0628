//! The agent and scenario that an utterance is for: D10 to D13.
#![allow(clippy::unwrap_used)]

use schema::semantics::OfferedScenario;
use schema::template::Template;
use semantics::choose::{ScenarioChoice, choose};
use semantics::ngrams::Ngrams;

const SCENARIOS: [(&str, &str, &str); 9] = [
    (
        "convoke-wireless",
        "fault_incident_v1",
        "Watches a network domain and reports incidents",
    ),
    (
        "convoke-ip",
        "fault_diagnosis_v1",
        "Finds the cause of a fault in the IP network",
    ),
    (
        "convoke-field",
        "fault_repair_v1",
        "Sends an engineer to repair a fault",
    ),
    (
        "convoke-optimisation",
        "experience_compensation_v1",
        "Compensates the experience of users with neighbouring cells",
    ),
    (
        "convoke-energy",
        "energy_saving_v1",
        "Saves energy in the radio network",
    ),
    (
        "convoke-complaints",
        "service_complaint_v1",
        "Handles complaints of customers about their service",
    ),
    (
        "convoke-copilot",
        "field_guidance_v1",
        "Guides engineers on site",
    ),
    ("airline", "flight_booking_v1", "Books flights"),
    ("studio", "photo_retouch_v2", "Retouches photos"),
];

/// The scenario chosen, or none.
fn chosen(utterance: &str) -> Option<String> {
    let templates: Vec<Template> = SCENARIOS
        .iter()
        .map(|s| schema::shipped::template(s.1).unwrap())
        .collect();
    let offers: Vec<OfferedScenario<'_>> = SCENARIOS
        .iter()
        .zip(&templates)
        .map(|((agent, _, description), template)| OfferedScenario {
            agent,
            scenario: &template.scenario,
            description,
            examples: &[],
            template: Some(template),
        })
        .collect();
    match choose(utterance, &offers, &Ngrams::default()) {
        ScenarioChoice::Fits(best, others) => {
            assert!(best.score >= others[0].score && !best.known.is_empty());
            Some(best.scenario)
        }
        ScenarioChoice::Nothing(_) => None,
    }
}

/// D10, D11: the scenario by what is said, in both languages.
#[test]
fn the_scenario_that_knows_what_is_said() {
    for (utterance, scenario) in [
        (
            "Book me a flight from Beijing to Shanghai next Monday",
            "flight_booking",
        ),
        ("Book a flight from Paris to Rome", "flight_booking"),
        ("Retouch this photo with a vintage filter", "photo_retouch"),
        ("Smooth the skin and whiten my teeth", "photo_retouch"),
        (
            "Cut energy use in Haidian by 15% from midnight",
            "energy_saving",
        ),
        (
            "Please diagnose link Berlin-Leipzig, probably a fibre cut",
            "fault_diagnosis",
        ),
        (
            "Compensate the coverage of site BE-017 with its neighbours",
            "experience_compensation",
        ),
        (
            "My calls drop all the time, I want to complain",
            "service_complaint",
        ),
        (
            "I stand at router Berlin, what do I do now?",
            "field_guidance",
        ),
        ("Report every incident in the IP network", "fault_incident"),
        ("Open a repair ticket for the broken fibre", "fault_repair"),
        ("订一张下周一去上海的机票", "flight_booking"),
        ("请在海淀区开启节能", "energy_saving"),
        ("手机上网网速慢，我要投诉", "service_complaint"),
        ("请诊断柏林到莱比锡的链路", "fault_diagnosis"),
        ("给照片磨皮并虚化背景", "photo_retouch"),
        ("站点退服，请补偿用户体验", "experience_compensation"),
    ] {
        assert_eq!(chosen(utterance).as_deref(), Some(scenario), "{utterance}");
    }
}

/// D13: where nothing fits, that is told.
#[test]
fn nothing_fits() {
    for utterance in [
        "order a large iced latte",
        "Help me order a large iced latte",
        "play some jazz",
        "write a poem about autumn",
        "how tall is Mount Everest",
        "Who is Ada Lovelace",
        "Tell Anna that Bob went to Rome",
        "transfer 200 euros to my sister",
        "帮我点一杯大杯冰拿铁",
        "讲个笑话",
        "",
    ] {
        assert_eq!(chosen(utterance), None, "{utterance}");
    }
}

/// D13: without agents nothing fits.
#[test]
fn nobody_is_asked() {
    assert_eq!(
        choose("save energy", &[], &Ngrams::default()),
        ScenarioChoice::Nothing(None)
    );
}
