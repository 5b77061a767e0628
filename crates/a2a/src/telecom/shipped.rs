//! The templates that come with Convoke: the tasks of draft-wang-nmrg-magent-im-00 §2 that A2A-T
//! peers speak of.
//!
//! Knows the files under `templates/`. The URIs of energy saving and of complaints are those of
//! IG1453's scenarios, so that a peer's prompts are read; fault diagnosis and experience
//! compensation have none there, and are ours. Read next: [`template`](super::template).

use super::template::TelecomTemplate;

/// The JSON of each.
pub const SHIPPED: [&str; 4] = [
    include_str!("templates/fault-diagnosis.json"),
    include_str!("templates/ran-experience-compensation.json"),
    include_str!("templates/ran-energy-saving.json"),
    include_str!("templates/private-line-complaint.json"),
];

/// All of them, read. Reading takes a millisecond: callers keep what they need.
pub fn shipped() -> Vec<TelecomTemplate> {
    let read = |text| TelecomTemplate::parse(text).expect("a test reads every shipped template");
    SHIPPED.into_iter().map(read).collect()
}
