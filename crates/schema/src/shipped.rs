//! The templates that come with Convoke, in English and Chinese, each request with its result.
//!
//! Use cases 1 to 3 of draft-wang-nmrg-magent-im-00 §2 (faults, experience and energy, complaints)
//! and the two examples of draft-zhou §5. Knows the files under `templates/`, which are in the
//! authored form; refuses to know who serves them. Read next: [`crate::read`], [`crate::catalogue`].

use crate::lint::TemplateOrigin;
use crate::read;
use crate::template::Template;

/// The `schema_id` and the JSON of each, in the order of the scenarios of the drafts.
pub const SHIPPED: [(&str, &str); 29] = [
    // draft-wang §2.1: an incident, its diagnosis, its repair.
    (
        "fault_incident_v1",
        include_str!("../templates/fault_incident_v1.json"),
    ),
    (
        "fault_incident_result_v1",
        include_str!("../templates/fault_incident_result_v1.json"),
    ),
    (
        "fault_diagnosis_v1",
        include_str!("../templates/fault_diagnosis_v1.json"),
    ),
    (
        "fault_diagnosis_result_v1",
        include_str!("../templates/fault_diagnosis_result_v1.json"),
    ),
    (
        "fault_repair_v1",
        include_str!("../templates/fault_repair_v1.json"),
    ),
    (
        "fault_repair_decision_v1",
        include_str!("../templates/fault_repair_decision_v1.json"),
    ),
    (
        "fault_repair_result_v1",
        include_str!("../templates/fault_repair_result_v1.json"),
    ),
    (
        "field_guidance_v1",
        include_str!("../templates/field_guidance_v1.json"),
    ),
    (
        "field_guidance_result_v1",
        include_str!("../templates/field_guidance_result_v1.json"),
    ),
    (
        "service_verification_v1",
        include_str!("../templates/service_verification_v1.json"),
    ),
    (
        "service_verification_result_v1",
        include_str!("../templates/service_verification_result_v1.json"),
    ),
    (
        "trouble_ticket_v1",
        include_str!("../templates/trouble_ticket_v1.json"),
    ),
    (
        "trouble_ticket_result_v1",
        include_str!("../templates/trouble_ticket_result_v1.json"),
    ),
    // draft-wang §2.2: fault, experience and energy saving together.
    (
        "experience_compensation_v1",
        include_str!("../templates/experience_compensation_v1.json"),
    ),
    (
        "experience_compensation_result_v1",
        include_str!("../templates/experience_compensation_result_v1.json"),
    ),
    (
        "energy_saving_v1",
        include_str!("../templates/energy_saving_v1.json"),
    ),
    (
        "energy_saving_result_v1",
        include_str!("../templates/energy_saving_result_v1.json"),
    ),
    (
        "service_intent_v1",
        include_str!("../templates/service_intent_v1.json"),
    ),
    (
        "service_intent_result_v1",
        include_str!("../templates/service_intent_result_v1.json"),
    ),
    // draft-wang §2.3: complaints.
    (
        "service_complaint_v1",
        include_str!("../templates/service_complaint_v1.json"),
    ),
    (
        "service_complaint_result_v1",
        include_str!("../templates/service_complaint_result_v1.json"),
    ),
    (
        "complaint_ticket_v1",
        include_str!("../templates/complaint_ticket_v1.json"),
    ),
    (
        "complaint_ticket_result_v1",
        include_str!("../templates/complaint_ticket_result_v1.json"),
    ),
    (
        "quality_check_v1",
        include_str!("../templates/quality_check_v1.json"),
    ),
    (
        "quality_check_result_v1",
        include_str!("../templates/quality_check_result_v1.json"),
    ),
    // draft-zhou §5.1 and §5.2.
    (
        "flight_booking_v1",
        include_str!("../templates/flight_booking_v1.json"),
    ),
    (
        "flight_booking_result_v1",
        include_str!("../templates/flight_booking_result_v1.json"),
    ),
    (
        "photo_retouch_v2",
        include_str!("../templates/photo_retouch_v2.json"),
    ),
    (
        "photo_retouch_result_v1",
        include_str!("../templates/photo_retouch_result_v1.json"),
    ),
];

/// All of them, read. Reading takes milliseconds: callers keep what they need.
pub fn shipped() -> Vec<Template> {
    SHIPPED.into_iter().map(|(_, text)| parsed(text)).collect()
}

/// One of them, read.
pub fn template(schema_id: &str) -> Option<Template> {
    let (_, text) = SHIPPED.into_iter().find(|(id, _)| *id == schema_id)?;
    Some(parsed(text))
}

fn parsed(text: &str) -> Template {
    read::template(text, TemplateOrigin::Own)
        .expect("a test reads every shipped template")
        .template
}
