//! The platform's own agent: it takes tasks without an addressee if no other agent does, and refuses
//! them.
//!
//! Read next: `super::roster`, which hosts it.

use crate::post::Post;
use crate::profile::ProfileFile;
use domain::agent::{Agent, Input, Output};
use domain::profile::{Capability, Layer, Profile};
use domain::reply::Reply;
use domain::time::{SeededRng, Timestamp};

/// The role of the platform's own agent. No profile file can have it.
pub(super) const ROLE: &str = "platform";

/// The platform's own agent: it has a profile and executes no tasks.
pub(super) struct PlatformAgent;

impl Agent for PlatformAgent {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Asked(_) => {
                let words =
                    "no agent takes what is addressed to nobody here: name one in task-sendTo";
                vec![Output::Answer(Reply::refused(
                    "no-addressee",
                    "task-sendTo",
                    words,
                ))]
            }
            _ => Vec::new(),
        }
    }
}

/// The profile of the platform's own agent.
pub(super) fn profile() -> ProfileFile {
    let profile = Profile {
        name: "TMF-Convoke-Platform-1.0.0".to_owned(),
        alias: None,
        description: "The platform itself: says who is here, and does no work of its own"
            .to_owned(),
        agent_type: None,
        version: "1.0.0".to_owned(),
        provider: "Convoke".to_owned(),
        domain: None,
        management_object: None,
        layer: Layer::Business,
        province: None,
        capability: Capability::default(),
        skills: Vec::new(),
        authentication: Vec::new(),
    };
    ProfileFile {
        file: "the platform's own profile".to_owned(),
        profile,
        role: ROLE.to_owned(),
        post: Post::default(),
    }
}
