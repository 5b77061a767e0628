//! The requirements of the two A2A extensions and of A2A itself, point by point, and our
//! interpretations where they are silent or contradictory: each is proved by tests that the tables
//! name.
//!
//! F1 to F27 are the points of the object-schemas extension, I1 to I12 those of the intent
//! extension, Q60 to Q82 the interpretations, A1 to A17 the requirements on a server of A2A
//! (specification 1.0.1, and 0.3). A test counts only if it names its point itself. Read next:
//! `harness::checklist`, `checklist_schemas.rs`.

use harness::checklist::{Point, faults};
use harness::points;

const CARD: &str = "crates/a2a/src/card/tests.rs";
const CONVERSATION: &str = "crates/a2a/src/conversation.rs";
const ERROR: &str = "crates/a2a/src/error/tests.rs";
const EXTENSION: &str = "crates/a2a/src/extension.rs";
const INTAKE: &str = "crates/a2a/src/intake/tests.rs";
const INTENT: &str = "crates/a2a/src/intent/tests.rs";
const JSONRPC: &str = "crates/a2a/src/jsonrpc/tests.rs";
const MEDIA: &str = "crates/a2a/src/media.rs";
const METHOD: &str = "crates/a2a/src/method.rs";
const OBJECTS: &str = "crates/a2a/src/objects/tests.rs";
const PAGE: &str = "crates/a2a/src/page.rs";
const REST: &str = "crates/a2a/src/rest/tests.rs";
const STATE: &str = "crates/a2a/src/state.rs";
const VERSION: &str = "crates/a2a/src/version.rs";
const WIRE: &str = "crates/a2a/src/wire/tests.rs";
const IDENTITY: &str = "crates/bindings/src/a2a/identity.rs";
const BINDING: &str = "crates/bindings/tests/a2a/main.rs";
const LAW: &str = "crates/bindings/tests/a2a/law.rs";
const PUSHES: &str = "crates/bindings/tests/a2a/pushes.rs";
const STREAMS: &str = "crates/bindings/tests/a2a/streams.rs";
const COMMAND: &str = "tests/tests/a2a.rs";
const FORMS: &str = "tests/tests/browser/agent_forms.rs";
const HOOKS: &str = "tests/tests/webhook/pushes.rs";

const OBJECT_SCHEMAS: &[Point] = points! {
    "F1" "the URI of the extension (head)" { OBJECTS: the_card_of_the_document_is_read; }
    "F2" "a schema that is received begins a task (abstract)" {
        INTAKE: typed_data_count_before_intents_before_payloads_before_words;
    }
    "F3" "other formats stay possible (abstract, §1)" {
        INTAKE: typed_data_count_before_intents_before_payloads_before_words;
    }
    "F4" "declared among the extensions of a card (§1)" {
        OBJECTS: the_card_of_the_document_is_read, undeclared_schemas_are_none, the_card_survives_both_versions;
    }
    "F5" "`schemas` at the root of a card (§1)" {
        OBJECTS: a_card_declares_its_schemas_in_both_places;
        CARD: a_card_is_served_in_two_profiles;
    }
    "F6" "schemas named as modes (§1)" {
        MEDIA: a_schema_is_found_however_it_is_written;
        CARD: a_profile_becomes_a_card;
    }
    "F7" "plain language beside schemas (§1)" { CARD: a_profile_becomes_a_card; }
    "F8" "the card of the document (§1)" {
        OBJECTS: the_card_of_the_document_is_read, a_card_declares_its_schemas_in_both_places;
        COMMAND: every_agent_has_a_card;
    }
    "F9" "a data part with an object (§2)" { OBJECTS: the_message_of_the_document_is_input; }
    "F10" "`mimeType` is the input mode (§2)" { OBJECTS: the_message_of_the_document_is_input; }
    "F11" "the message of the document (§2)" { OBJECTS: the_message_of_the_document_is_input; }
    "F12" "the flow, for whoever declares the extension (§3)" { OBJECTS: the_flow_is_that_of_the_document; }
    "F13" "which parts are flagged (§3)" { OBJECTS: the_flow_is_that_of_the_document; }
    "F14" "an undeclared schema (§3)" {
        OBJECTS: the_flow_is_that_of_the_document;
        BINDING: typed_input_is_refused_as_the_flow_says;
    }
    "F15" "data are held to a declared schema (§3)" {
        OBJECTS: the_flow_is_that_of_the_document, our_contracts_are_inputs;
    }
    "F16" "valid data are input (§3)" { BINDING: both_versions_over_both_bindings; }
    "F17" "invalid data are an error (§3)" { BINDING: typed_input_is_refused_as_the_flow_says; }
    "F18" "the first flagged part alone (§3)" { OBJECTS: the_flow_is_that_of_the_document; }
    "F19" "no flagged part (§3)" { OBJECTS: the_flow_is_that_of_the_document; }
    "F20" "input begins a task (§3)" { BINDING: both_versions_over_both_bindings; }
    "F21" "an error is told (§3)" { BINDING: typed_input_is_refused_as_the_flow_says; }
    "F22" "words without a task (§3)" { BINDING: words_are_a_task_where_there_are_no_schemas; }
    "F23" "typed data to a task that runs (§3)" { BINDING: typed_input_is_refused_as_the_flow_says; }
    "F24" "words to a task that runs (§3)" { OBJECTS: the_flow_is_that_of_the_document; }
    "F25" "results are typed (§4)" {
        OBJECTS: the_task_of_the_document_is_read_and_written;
        BINDING: both_versions_over_both_bindings;
    }
    "F26" "the task of the document (§4)" { OBJECTS: the_task_of_the_document_is_read_and_written; }
    "F27" "forms that send the typed part (abstract)" {
        FORMS: a_form_becomes_a_task_and_shows_its_result, forms_are_pages_like_all_others;
    }
};

const INTENTS: &[Point] = points! {
    "I1" "the URI of the extension (declaration)" { INTENT: the_declaration_of_the_document_is_read_and_written; }
    "I2" "`params.skills` (AgentExtension)" { INTENT: the_declaration_of_the_document_is_read_and_written; }
    "I3" "`id` is that of a skill of the card (SkillExtension)" { INTENT: only_skills_of_the_card_are_declared; }
    "I4" "`inputSchema` is of an object (SkillExtension)" { INTENT: only_skills_of_the_card_are_declared; }
    "I5" "the declaration of the document" { INTENT: the_declaration_of_the_document_is_read_and_written; }
    "I6" "`intentInfos` in the metadata (Message)" {
        INTENT: the_call_of_the_document_is_understood, intents_are_found_under_both_names;
    }
    "I7" "`intent` routes to a skill (IntentInfo)" { INTENT: the_call_of_the_document_is_understood; }
    "I8" "`slots` (IntentInfo)" { INTENT: the_call_of_the_document_is_understood; }
    "I9" "`name` of a slot (Slot)" { INTENT: slots_become_values; }
    "I10" "`value` of a slot (Slot)" { INTENT: slots_become_values; }
    "I11" "`normValue` of a slot (Slot)" { INTENT: slots_become_values; }
    "I12" "the call of the document" { INTENT: the_call_of_the_document_is_understood; }
};

const READINGS: &[Point] = points! {
    "Q60" "where schemas stand, and what is signed" {
        OBJECTS: a_card_declares_its_schemas_in_both_places;
        CARD: a_signature_covers_the_members_of_v10_alone;
        COMMAND: a_strict_card_is_vouched_for;
    }
    "Q61" "where media types stand" { WIRE: media_types_stand_where_each_reader_looks; }
    "Q62" "the sentence that is cut off" { OBJECTS: the_flow_is_that_of_the_document; }
    "Q63" "`messageId` as a number" { OBJECTS: the_message_of_the_document_is_input; }
    "Q64" "the codes of input errors" { BINDING: typed_input_is_refused_as_the_flow_says; }
    "Q65" "refusals in order; judgements of tasks that run" {
        CONVERSATION: references_are_judged_in_order;
        BINDING: typed_input_is_refused_as_the_flow_says, answers_and_judgements_go_to_the_agent;
    }
    "Q66" "activation" { EXTENSION: extensions_are_asked_for_and_echoed; }
    "Q67" "how media types and names are written" {
        MEDIA: a_schema_is_found_however_it_is_written;
        OBJECTS: names_are_short_and_plain;
    }
    "Q68" "schemas of outputs alone" { OBJECTS: the_card_of_the_document_is_read; }
    "Q69" "which JSON Schema" { OBJECTS: our_contracts_are_inputs; }
    "Q70" "`inputSchema` is always there" { CARD: a_profile_becomes_a_card; }
    "Q71" "messages without intents, and the longer name" {
        INTENT: intents_are_found_under_both_names;
        INTAKE: intents_are_nothing_to_who_does_not_declare_them;
    }
    "Q72" "several intents" { INTENT: the_first_known_intent_counts; }
    "Q73" "texts become values; what lacks is asked for" {
        INTENT: slots_become_values;
        BINDING: missing_slots_are_asked_for_and_filled;
    }
    "Q74" "intents beside a typed part" {
        INTAKE: typed_data_count_before_intents_before_payloads_before_words;
    }
    "Q75" "slots for a task that asked" {
        INTENT: slots_complete_what_was_said_before;
        BINDING: missing_slots_are_asked_for_and_filled;
    }
    "Q76" "members that are not known" { INTENT: intents_are_found_under_both_names; }
    "Q80" "states of tasks" { STATE: the_states_are_those_of_the_table, both_sides_agree_on_what_has_ended; }
    "Q81" "verbs and methods" { LAW: both_protocols_say_the_same; }
    "Q82" "state is the task's, not the schema's" [
        "crate `schema` has nothing that could remember: payloads are arguments"
    ]
};

const SERVER: &[Point] = points! {
    "A1" "the card, and how long it may be kept" {
        CARD: a_card_is_served_in_two_profiles, a_card_can_be_kept;
        BINDING: cards_follow_what_is_published;
    }
    "A2" "JSON-RPC of v1.0" {
        METHOD: names_and_headers_agree;
        WIRE: protojson_is_read_as_its_parsers_read_it;
        BINDING: both_versions_over_both_bindings;
    }
    "A3" "JSON-RPC of v0.3" {
        METHOD: names_and_headers_agree;
        BINDING: both_versions_over_both_bindings;
    }
    "A4" "HTTP+JSON" {
        REST: paths_and_queries_are_parameters, answers_have_the_form_of_the_question;
        BINDING: both_versions_over_both_bindings;
    }
    "A5" "which version" {
        VERSION: a_header_names_a_version;
        METHOD: the_new_names_need_the_header;
    }
    "A6" "errors" {
        ERROR: kinds_have_their_codes, errors_have_the_forms_of_the_specification;
        JSONRPC: what_is_no_request_is_refused_precisely, refusals_are_written_in_the_version_asked;
        REST: what_cannot_be_asked_is_refused_precisely;
    }
    "A7" "waiting, or not" { BINDING: answers_wait_as_they_are_asked_to; }
    "A8" "identifiers, and what has ended" {
        CONVERSATION: references_are_judged_in_order, ended_tasks_are_left_alone;
        IDENTITY: a_message_names_its_task;
        BINDING: the_same_message_is_the_same_task, ends_are_final_and_nothing_is_pushed;
    }
    "A9" "streams" {
        STREAMS: a_message_is_followed_to_its_end, subscribers_read_the_same;
        COMMAND: a_message_is_followed_as_a_stream;
    }
    "A10" "history and lists" {
        PAGE: a_token_belongs_to_its_question;
        BINDING: lists_are_pages_of_the_store;
    }
    "A11" "push notifications" {
        PUSHES: both_versions_over_json_rpc, both_versions_over_http_and_json, what_is_not_allowed_is_refused_and_named;
        HOOKS: every_change_is_pushed_in_order_with_the_token, nothing_is_lost_while_a_receiver_is_down_and_the_platform_restarted;
    }
    "A12" "unknown members, and capabilities" {
        WIRE: unknown_members_are_not_echoed;
        CARD: capabilities_are_looked_at;
    }
    "A13" "media types of parts" { CARD: only_modes_of_the_card_are_read; }
    "A14" "timestamps and enumerations" { OBJECTS: the_task_of_the_document_is_read_and_written; }
    "A15" "extensions that are asked for" { EXTENSION: extensions_are_asked_for_and_echoed; }
    "A16" "not found and not yours look the same" {
        BINDING: tasks_of_others_look_like_none;
        PUSHES: configurations_of_others_look_like_none;
    }
    "A17" "signatures" { CARD: a_signature_covers_the_members_of_v10_alone, the_signing_input_is_canonical; }
};

#[test]
fn every_point_is_proved() {
    let all = [OBJECT_SCHEMAS, INTENTS, READINGS, SERVER];
    let faults: Vec<String> = all.into_iter().flat_map(faults).collect();
    // The readings before Q60 are those of `checklist_schemas.rs`.
    let is_of_schemas = |f: &&String| f.starts_with('Q') && f.contains("is no point");
    let faults: Vec<&String> = faults.iter().filter(|f| !is_of_schemas(f)).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Each point is there once, in order.
#[test]
fn the_tables_have_every_point() {
    for (points, letter, last) in [
        (OBJECT_SCHEMAS, 'F', 27),
        (INTENTS, 'I', 12),
        (SERVER, 'A', 17),
    ] {
        let numbers: Vec<&str> = points.iter().map(|point| point.number).collect();
        let wanted: Vec<String> = (1..=last).map(|n| format!("{letter}{n}")).collect();
        assert_eq!(numbers, wanted);
    }
    let readings: Vec<&str> = READINGS.iter().map(|point| point.number).collect();
    let wanted: Vec<String> = (60..=76).chain(80..=82).map(|n| format!("Q{n}")).collect();
    assert_eq!(readings, wanted);
}
