//! The profile of an agent about which nothing matters but its name.
//!
//! Read next: `domain::profile`.

use domain::profile::{Capability, Layer, Profile, Skill};

/// A profile with that name, without skills.
pub fn profile(name: &str) -> Profile {
    Profile {
        name: name.to_owned(),
        alias: None,
        description: "works".to_owned(),
        agent_type: None,
        version: "1.0.0".to_owned(),
        provider: "Convoke".to_owned(),
        domain: None,
        management_object: None,
        layer: Layer::Resource,
        province: None,
        capability: Capability::default(),
        skills: Vec::new(),
        authentication: Vec::new(),
    }
}

/// A skill with that name and these tags.
pub fn skill(name: &str, tags: &[&str]) -> Skill {
    Skill {
        name: name.to_owned(),
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
        ..Skill::default()
    }
}
