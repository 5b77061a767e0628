//! A rehearsal without a platform: the agent is started, hears an alarm, and is asked.
//!
//! Agents are pure steps, so this is all that a test of one needs.

use super::unreachable;
use agents::payloads::Schema;
use agents::payloads::verification::{VerificationOrder, VerificationResult};
use domain::agent::{Agent, Ask, Briefing, Input, Output};
use domain::content::Content;
use domain::inventory::ElementId;
use domain::profile::{Capability, Layer, Profile};
use domain::task::{Task, TaskId};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use rand_chacha::rand_core::SeedableRng;
use std::sync::Arc;

/// The answers of the agent, a line for each of both lists.
pub(crate) fn play(mut agent: Box<dyn Agent>) -> Vec<String> {
    let (now, mut rng) = (Timestamp::default(), SeededRng::seed_from_u64(1));
    let own = Arc::new(profile());
    let briefing = Briefing {
        roster: vec![Arc::clone(&own)],
        own,
        inventory: Arc::default(),
        open: Vec::new(),
    };
    agent.step(Input::Started(briefing), now, &mut rng);
    agent.step(unreachable("site:A", now), now, &mut rng);
    let outputs = agent.step(Input::Asked(question(now)), now, &mut rng);
    let answer = outputs.iter().find_map(|output| match output {
        Output::Answer(reply) => reply
            .content
            .iter()
            .find_map(VerificationResult::in_content),
        _ => None,
    });
    let answer = answer.expect("a verification is answered at once");
    let named = |sites: &std::collections::BTreeSet<ElementId>| {
        let sites: Vec<&str> = sites.iter().map(ElementId::as_str).collect();
        sites.join(", ")
    };
    vec![
        format!("in service: {}", named(&answer.restored)),
        format!("out of service: {}", named(&answer.still_out)),
    ]
}

fn question(now: Timestamp) -> Ask {
    let sites = ["site:A", "site:B"].map(ElementId::new).into();
    let content = Content::new("A and B", "Are these in service?")
        .with_payload(VerificationOrder { sites }.to_payload());
    let task = Task::assigned(
        TaskId::new("rehearsal-1"),
        "somebody",
        "site-watch",
        content.render(),
        content.clone(),
        false,
        now,
    );
    Ask {
        verb: Verb::TaskAssign,
        from: task.from.clone(),
        task: Arc::new(task),
        content,
        alternatives: Vec::new(),
        alternative: None,
        round: 1,
        turn: None,
    }
}

fn profile() -> Profile {
    Profile {
        name: "Example-Own-SiteWatch-1.0.0".to_owned(),
        alias: Some("site-watch".to_owned()),
        description: "Says which sites are in service.".to_owned(),
        agent_type: None,
        version: "1.0.0".to_owned(),
        provider: "Example".to_owned(),
        domain: Some("Wireless".to_owned()),
        management_object: None,
        layer: Layer::Resource,
        province: None,
        capability: Capability::default(),
        skills: Vec::new(),
        authentication: Vec::new(),
    }
}
