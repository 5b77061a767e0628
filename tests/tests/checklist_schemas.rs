//! The requirements of draft-zhou-structured-data-schema-interaction-00, point by point, and our
//! interpretations where it is silent or contradictory: each is proved by tests that the tables
//! name, and by the cases of `conformance/` whose `proves` names it.
//!
//! D1 to D114 are the points of the draft, Q1 to Q55 the interpretations. A test counts only if it
//! names its point itself. Read next: `harness::checklist`, `checklist.rs`.

use harness::checklist::{Point, faults};
use harness::points;

const AGENTS: &str = "crates/showcase/agents/src/payloads/tests.rs";
const ENGINE: &str = "crates/engine/tests/schemas.rs";
const CANONICAL: &str = "crates/schema/src/canonical.rs";
const CATALOGUE: &str = "crates/schema/src/catalogue/tests.rs";
const CONTRACT: &str = "crates/schema/src/contract/tests.rs";
const NEAREST: &str = "crates/schema/src/evolution/nearest.rs";
const LANGUAGE: &str = "crates/schema/src/language.rs";
const NAMES: &str = "crates/schema/src/lint/names.rs";
const SENSITIVE: &str = "crates/schema/src/lint/sensitive.rs";
const VALUE: &str = "crates/schema/src/lint/value.rs";
const NORMAL: &str = "crates/schema/src/other/normal.rs";
const SCREEN: &str = "crates/schema/src/other/screen.rs";
const OTHER: &str = "crates/schema/src/other/tests.rs";
const PATCH: &str = "crates/schema/src/patch.rs";
const READ: &str = "crates/schema/src/read/tests.rs";
const READ_PATCHES: &str = "crates/schema/src/read/tests/patches.rs";
const GRAMMAR: &str = "crates/schema/src/render/gbnf/tests.rs";
const RENDER: &str = "crates/schema/src/render/tests.rs";
const SIGNATURE: &str = "crates/schema/src/signature/tests.rs";
const VIOLATION: &str = "crates/schema/src/violation.rs";
const WRITE: &str = "crates/schema/src/write.rs";
const INDUCTION: &str = "crates/schema/tests/evolution/induction.rs";
const LIFECYCLE: &str = "crates/schema/tests/evolution/lifecycle.rs";
const PARTS: &str = "crates/schema/tests/evolution/parts.rs";
const POOL: &str = "crates/schema/tests/evolution/pool.rs";
const SETTINGS: &str = "crates/schema/tests/evolution/settings.rs";
const SIMULATION: &str = "crates/schema/tests/evolution_simulation.rs";
const FIGURES: &str = "crates/schema/tests/figures.rs";
const FUZZ: &str = "crates/schema/tests/fuzz.rs";
const REFUSED: &str = "crates/schema/tests/refused.rs";
const SHIPPED: &str = "crates/schema/tests/shipped.rs";
const CHOOSING: &str = "crates/semantics/tests/choosing.rs";
const ENDPOINT: &str = "crates/semantics/tests/endpoint.rs";
const EXAMPLES: &str = "crates/semantics/tests/worked_examples.rs";
const STORE: &str = "crates/store/src/tests/encrypted.rs";
const ARCHITECTURE: &str = "tests/tests/architecture.rs";
const COMMAND: &str = "tests/tests/cli_schemas.rs";
const RENDERINGS: &str = "tests/tests/renderings.rs";
const DIFFERENCES: &str = "tests/tests/renderings/differences.rs";

const POINTS: &[Point] = points! {
    "D1" "fixed keys mean the same for everyone, without talk (§1)" {
        RENDER: renderings_are_deterministic_and_total;
    }
    "D2" "semantic drift, inference overhead, interoperability barriers (§1)" [
        "names what the rest is for; D14 to D17, D59 and D63 are what answers it"
    ]
    "D3" "a contract of data only: neither transport nor authorization (§1)" {
        ARCHITECTURE: what_stops_at_one_crate_is_named_by_no_other;
    }
    "D4" "negotiation, exchange, update (§3)" { ENGINE: a_template_is_published_once_and_for_all; }
    "D5" "the core knows no transport (§3)" {
        ARCHITECTURE: what_stops_at_one_crate_is_named_by_no_other;
    }
    "D6" "a client discovers, maps, sends (§3.1)" {
        COMMAND: what_is_wanted_finds_its_agent_or_is_told_that_nobody_does_it;
    }
    "D7" "a server publishes, validates, executes, may suggest (§3.1)" {}
    "D8" "stateless at this level (§3.1)" { ENGINE: what_is_kept_is_canonical; }
    "D9" "exchange stays within what was agreed (§2)" { CONTRACT: unknown_keys_by_policy; }
    "D10" "step 1: free language (§3.2)" { CHOOSING: the_scenario_that_knows_what_is_said; }
    "D11" "step 2: agent and scenario (§3.2)" { CHOOSING: the_scenario_that_knows_what_is_said; }
    "D12" "step 2: by a registry (§3.2)" {
        COMMAND: what_is_wanted_finds_its_agent_or_is_told_that_nobody_does_it;
    }
    "D13" "no suitable agent is told (§3.2)" { CHOOSING: nothing_fits, nobody_is_asked; }
    "D14" "step 3: the template of a scenario, as one object (§3.2)" {
        WRITE: what_was_served_is_told;
    }
    "D15" "step 4: required keys are present (§3.2)" {
        CONTRACT: required_keys_are_needed;
        REFUSED: each_break_is_told_as_what_it_is;
        ENGINE: a_payload_is_held_to_its_schema_before_anything_happens;
    }
    "D16" "step 4: optional keys may be left out (§3.2)" {
        CONTRACT: optional_keys_may_be_left_out;
        AGENTS: a_target_alone_is_an_order_to_look_for_the_usual_cause;
    }
    "D17" "step 5: validated, executed, answered (§3.2)" {
        AGENTS: all_that_is_wrong_is_named_at_once;
        REFUSED: each_break_is_told_as_what_it_is;
    }
    "D18" "step 5: the result has a schema (§3.2)" {
        SHIPPED: every_request_has_a_result;
        ENGINE: a_result_that_breaks_its_schema_is_a_failure;
    }
    "D19" "step 6: suggestions, also on request (§3.2)" {
        ENGINE: a_patch_is_told_in_a_reply_once_to_each_client;
    }
    "D20" "the roles (§2)" {
        COMMAND: what_is_wanted_finds_its_agent_or_is_told_that_nobody_does_it;
    }
    "D21" "every key has a type and a description (§4, §4.2)" {
        READ: every_rule_points_at_what_breaks_it;
    }
    "D22" "`schema_id`, `scenario`, `keys` (§4.1)" {
        READ: every_rule_of_the_whole_points_at_what_breaks_it;
    }
    "D23" "`schema_id` names a version (§4.1)" {
        NAMES: a_schema_id_is_a_scenario_and_a_version;
        CATALOGUE: what_is_published_never_changes;
    }
    "D24" "`scenario` is for people (§4.1)" {
        CATALOGUE: scenarios_are_found_however_they_are_spelled;
    }
    "D25" "`keys` is an array of definitions (§4.1)" {
        READ: every_rule_of_the_whole_points_at_what_breaks_it;
    }
    "D26" "`key_name` in snake_case (§4.1)" {
        NAMES: snake_case_is_lower_ascii_words_with_single_lines_between;
    }
    "D27" "names are unique (§4.1)" { READ: names_are_unique; }
    "D28" "`key_type` is a type of JSON Schema (§4.1)" {
        READ: every_rule_points_at_what_breaks_it, numbers_are_read_as_what_they_are;
    }
    "D29" "`semantic_description`: meaning, values, examples (§4.1, §4.2)" {
        FIGURES: examples_in_prose_are_found;
        WRITE: prose_is_written_from_the_members;
        SHIPPED: requests_show_how_people_say_it;
    }
    "D30" "descriptions in the language of the users (§4.1, §4.2)" {
        SHIPPED: every_description_is_in_english_and_chinese;
        WRITE: what_was_served_is_told;
    }
    "D31" "`required` (§4.1)" { CONTRACT: required_keys_are_needed; }
    "D32" "`default_value` where a key is omitted (§4.1)" {
        CONTRACT: defaults_are_effective_but_not_canonical;
        DIFFERENCES: defaults_are_told;
    }
    "D33" "no default: the server's own logic (§4.1)" {
        CONTRACT: defaults_are_effective_but_not_canonical;
        AGENTS: a_target_alone_is_an_order_to_look_for_the_usual_cause;
    }
    "D34" "Figure 2 (§4.1)" {
        FIGURES: figure_2_is_a_template, the_shipped_flight_booking_is_that_of_figure_2;
    }
    "D35" "what Figure 2 says in prose is enforced by what ships (§4.1)" {
        FIGURES: figure_2_tells_in_prose_what_the_shipped_template_enforces;
    }
    "D36" "Figure 3 (§4.2)" { FIGURES: figure_3_is_a_key; }
    "D37" "`other` is reserved in every template (§4.3)" {
        READ: other_is_put_there_and_last;
        FIGURES: other_is_in_every_figure;
    }
    "D38" "`other` is optional (§4.3)" {
        READ: every_rule_points_at_what_breaks_it;
        FIGURES: other_is_in_every_figure;
    }
    "D39" "`other` is a string or strings (§4.3)" {
        CONTRACT: nothing_in_other_rejects;
        DIFFERENCES: other_is_a_string_or_several;
    }
    "D40" "`other` never has a request rejected (§4.3)" {
        CONTRACT: nothing_in_other_rejects;
        OTHER: every_attack_is_accepted_and_made_inert;
        FUZZ: no_payload_breaks_anything;
    }
    "D41" "clients keep `other` small (§4.3)" { EXAMPLES: other_is_kept_small; }
    "D42" "meaningful content feeds updates (§4.3)" { OTHER: meaningful_fragments; }
    "D43" "the utterance of §5.1" { EXAMPLES: the_flight_of_section_5_1; }
    "D44" "its mapping (§5.1)" { EXAMPLES: the_flight_of_section_5_1, the_flight_in_chinese; }
    "D45" "the payload of Figures 4 and 8; the clock is an input (§5.1, A.2)" {
        FIGURES: figures_4_and_8_are_payloads;
        EXAMPLES: next_monday_depends_on_the_clock;
    }
    "D46" "the confirmation (§5.1)" { FIGURES: figure_9_is_a_result_and_a_suggestion; }
    "D47" "`seat_preference` out of many seats (§5.1)" {
        INDUCTION: variants_become_an_enumeration;
    }
    "D48" "the utterance of §5.2" { EXAMPLES: the_photo_of_section_5_2; }
    "D49" "its keys (§5.2)" { FIGURES: figure_10_is_a_template_and_ships; }
    "D50" "its mapping (§5.2)" { EXAMPLES: the_photo_of_section_5_2; }
    "D51" "the payload of Figure 5 (§5.2)" { FIGURES: figure_5_is_a_payload; }
    "D52" "`eye_size_scale`, a float (§5.2)" { FIGURES: a_suggestion_may_have_a_float; }
    "D53" "Figure 6 is answered with Figure 7 (A.1)" {
        FIGURES: figure_6_is_answered_with_figure_7;
    }
    "D54" "Figure 7 without nulls (A.1)" { FIGURES: figure_7_is_figure_2_without_nulls; }
    "D55" "Figure 9: a result beside a suggestion (A.2)" {
        FIGURES: figure_9_is_a_result_and_a_suggestion;
    }
    "D56" "Figure 10 (A.3)" { FIGURES: figure_10_is_a_template_and_ships; }
    "D57" "Appendix A is not normative (A)" [
        "says how to take D53 to D56, which have their tests"
    ]
    "D58" "§6 is optional, part by part (§6)" {
        PARTS: each_part_has_its_switch;
        LIFECYCLE: switched_off_nothing_begins;
        ENGINE: what_is_switched_off_tells_nothing;
    }
    "D59" "transparent to peers without it (§6)" { PARTS: what_grows_disturbs_nobody; }
    "D60" "in-context learning (§6.1)" {
        RENDER: flight_booking_as_prompt;
        ENDPOINT: an_answer_becomes_a_payload;
    }
    "D61" "constrained decoding (§6.1)" {
        RENDER: flight_booking_as_grammar;
        GRAMMAR: the_drafts_payload_is_decoded_and_nothing_else;
    }
    "D62" "below the threshold it goes to `other` (§6.1)" {
        EXAMPLES: what_falls_below_the_threshold_goes_to_other;
        ENDPOINT: confidence_decides;
    }
    "D63" "no server needs a language model (§6.1)" {
        ARCHITECTURE: pure_crates_reach_no_runtime_and_no_socket_however_far_down;
    }
    "D64" "evolution is backward compatible (§6.2)" {
        PARTS: what_grows_disturbs_nobody;
        CONTRACT: withdrawn_keys_are_accepted_with_a_warning;
        POOL: a_pool_is_kept;
    }
    "D65" "a pool of fragments (§6.2.1)" {
        POOL: fragments_are_compared_by_their_vectors;
        PARTS: pools_are_apart;
    }
    "D66" "each fragment has a vector (§6.2.1)" { POOL: fragments_are_compared_by_their_vectors; }
    "D67" "dense ones (§6.2.1)" { POOL: fragments_are_compared_by_their_vectors; }
    "D68" "cosine 0.85 (§6.2.1)" {
        POOL: nearness_is_at_least_the_threshold;
        SETTINGS: defaults_are_the_drafts;
    }
    "D69" "a cluster is an intent (§6.2.1)" {
        SIMULATION: the_schema_converges, noise_is_never_heard;
    }
    "D70" "a fragment adds a fixed increment (§6.2.1)" { POOL: each_fragment_adds_the_same; }
    "D71" "heat decays (§6.2.1)" { POOL: heat_halves_in_a_day; }
    "D72" "by half in 24 hours (§6.2.1)" {
        POOL: heat_halves_in_a_day;
        SETTINGS: defaults_are_the_drafts;
    }
    "D73" "heat exceeds 50 (§6.2.1)" { POOL: heat_exceeds_its_threshold; }
    "D74" "5 clients or 10 occurrences within 7 days (§6.2.1)" {
        POOL: clients_or_occurrences_are_enough, the_window_is_seven_days;
    }
    "D75" "both gates (§6.2.1)" {
        POOL: heat_exceeds_its_threshold;
        ENGINE: what_many_want_becomes_a_key_once_it_is_approved;
    }
    "D76" "a pool for each scenario and cohort (§6.2.1)" { PARTS: pools_are_apart; }
    "D77" "the base never changes (§6.2.2)" {
        CATALOGUE: what_is_published_never_changes;
        LIFECYCLE: promotion_publishes_the_next_version;
    }
    "D78" "patches remove and retype nothing (§6.2.2)" {
        PATCH: refining_in_one_language_takes_nothing_from_the_others;
        FUZZ: no_patch_breaks_anything;
    }
    "D79" "patches add and describe (§6.2.2)" {
        LIFECYCLE: a_refinement_is_folded_in;
        FUZZ: no_patch_breaks_anything;
    }
    "D80" "induction, conflicts, packaging, for each trigger (§6.2.2)" {
        PARTS: every_trigger_goes_its_way;
    }
    "D81" "induction by rules (§6.2.2)" {
        INDUCTION: variants_become_an_enumeration;
        INDUCTION: one_wish_becomes_a_switch;
        INDUCTION: amounts_become_numbers;
        INDUCTION: many_ways_become_text;
    }
    "D82" "examples from real fragments (§6.2.2)" {
        INDUCTION: variants_become_an_enumeration, nothing_unscreened_is_published;
    }
    "D83" "names are held against base and patches (§6.2.2)" {
        LIFECYCLE: names_are_given_once;
        INDUCTION: patches_are_looked_at_too;
    }
    "D84" "a collision refines (§6.2.2)" { INDUCTION: a_synonym_refines; }
    "D85" "`new_keys`, `modified_keys` (§6.2.2)" {
        PARTS: every_trigger_goes_its_way;
        WRITE: reading_undoes_both_forms_of_a_patch;
    }
    "D86" "`patch_id`, parent, timestamp, end (§6.2.2)" {
        LIFECYCLE: a_patch_ends, suggestions_are_complete;
    }
    "D87" "told in results (§6.2.2)" {
        LIFECYCLE: suggestions_are_complete;
        ENGINE: a_patch_is_told_in_a_reply_once_to_each_client;
    }
    "D88" "told to who asks (§6.2.2)" {
        LIFECYCLE: suggestions_are_complete;
        ENGINE: what_many_want_becomes_a_key_once_it_is_approved;
    }
    "D89" "stacks of one client (§6.2.2)" {
        LIFECYCLE: a_client_has_a_stack_of_its_own;
        SIMULATION: a_traveller_gets_keys_of_its_own;
    }
    "D90" "who makes patches assesses every key (§6.2.3)" { SETTINGS: all_that_is_wrong_is_told; }
    "D91" "four measures (§6.2.3)" { LIFECYCLE: four_measures_are_kept; }
    "D92" "over 30 days (§6.2.3)" {
        LIFECYCLE: an_undecided_trial_ends_with_the_window;
        SETTINGS: defaults_are_the_drafts;
    }
    "D93" "usage_frequency (§6.2.3)" { LIFECYCLE: four_measures_are_kept; }
    "D94" "semantic_alignment_accuracy (§6.2.3)" {
        PARTS: judges_decide_what_was_meant;
        LIFECYCLE: four_measures_are_kept;
    }
    "D95" "value_type_correctness (§6.2.3)" {
        LIFECYCLE: four_measures_are_kept;
        CONTRACT: types_are_reported_of_refused_payloads_too;
    }
    "D96" "client_adoption_rate (§6.2.3)" { LIFECYCLE: four_measures_are_kept; }
    "D97" "born experimental (§6.2.3)" { LIFECYCLE: promotion_publishes_the_next_version; }
    "D98" "for 7 days (§6.2.3)" {
        LIFECYCLE: a_trial_lasts_seven_days;
        SETTINGS: defaults_are_the_drafts;
    }
    "D99" "told as `\"experimental\": true` (§6.2.3)" {
        LIFECYCLE: promotion_publishes_the_next_version;
        WRITE: standing_is_told;
    }
    "D100" "judged at the end of the trial (§6.2.3)" { LIFECYCLE: a_trial_lasts_seven_days; }
    "D101" "promotion at 15, 80 and 90 % (§6.2.3)" {
        LIFECYCLE: measures_decide_at_their_boundaries, promotion_publishes_the_next_version;
    }
    "D102" "deprecation below 5, 60 or 70 % (§6.2.3)" {
        LIFECYCLE: measures_decide_at_their_boundaries;
    }
    "D103" "14 days of grace (§6.2.3)" { LIFECYCLE: deprecated_keys_go_in_their_time; }
    "D104" "then withdrawn from the patches (§6.2.3)" {
        LIFECYCLE: deprecated_keys_go_in_their_time;
    }
    "D105" "and taken for 30 days more (§6.2.3)" {
        LIFECYCLE: deprecated_keys_go_in_their_time;
        CONTRACT: withdrawn_keys_are_accepted_with_a_warning;
    }
    "D106" "with a warning (§6.2.3)" {
        CONTRACT: withdrawn_keys_are_accepted_with_a_warning;
        ENGINE: a_reply_warns_of_what_was_dropped;
    }
    "D107" "10 keys on trial at most (§6.2.3)" { LIFECYCLE: the_eleventh_key_waits; }
    "D108" "further triggers wait (§6.2.3)" { LIFECYCLE: the_eleventh_key_waits; }
    "D109" "the boundaries of all these numbers (§6.2)" {
        POOL: nearness_is_at_least_the_threshold;
        POOL: heat_exceeds_its_threshold;
        POOL: clients_or_occurrences_are_enough;
        POOL: the_window_is_seven_days;
        LIFECYCLE: measures_decide_at_their_boundaries;
        LIFECYCLE: a_trial_lasts_seven_days;
        LIFECYCLE: deprecated_keys_go_in_their_time;
        LIFECYCLE: an_undecided_trial_ends_with_the_window;
        LIFECYCLE: the_eleventh_key_waits;
    }
    "D110" "payloads are protected at rest and on their way (§7)" {
        STORE: no_payload_stands_in_any_file, a_payload_fits_no_other_row_and_no_other_columns;
    }
    "D111" "integrity of negotiation and update (§7)" {
        SIGNATURE: every_attack_is_told_apart;
        SIGNATURE: versions_do_not_go_back;
        SIGNATURE: types_do_not_change_under_a_name;
        CANONICAL: the_samples_of_the_rfc_are_reproduced;
    }
    "D112" "`other` is treated as what strangers say (§7)" {
        OTHER: every_attack_is_accepted_and_made_inert, no_attack_closes_its_fence;
        NORMAL: normal_forms;
    }
    "D113" "approval of what is sensitive or exposes (§7)" {
        LIFECYCLE: approval_is_by_hand;
        SIMULATION: patience_ends_at_approval;
        ENGINE: a_key_that_exposes_another_capability_needs_two_approvers;
    }
    "D114" "no IANA actions (§8)" [
        "asks for nothing"
    ]
};

const READINGS: &[Point] = points! {
    "Q1" "lists at their places" [
        "says how the text is to be read"
    ]
    "Q2" "capability extension requests" {}
    "Q3" "the bare template; unknown scenarios; versions" {
        CATALOGUE: unknown_scenarios_are_told_with_the_known_ones;
        ENGINE: a_template_is_published_once_and_for_all;
    }
    "Q4" "lookup of languages" {
        LANGUAGE: lookup_shortens_the_preferred_tag_until_one_is_there;
        WRITE: what_was_served_is_told;
    }
    "Q5" "types of numbers" {
        CONTRACT: numbers;
        READ: numbers_are_read_as_what_they_are;
        DIFFERENCES: three_point_zero_is_an_integer_to_json_only;
    }
    "Q6" "items of arrays" {
        CONTRACT: nested_violations_have_their_place;
        READ: templates_of_peers_are_mended;
    }
    "Q7" "members of objects, with limits" {
        CONTRACT: nested_violations_have_their_place, limits_are_violations;
    }
    "Q8" "members that machines read; prose is not enforced" {
        READ: prose_is_not_enforced;
        RENDERINGS: patterns_agree_in_all_dialects;
    }
    "Q9" "unknown keys" { CONTRACT: unknown_keys_by_policy; }
    "Q10" "null is absent" { CONTRACT: required_keys_are_needed, what_says_nothing_is_left_out; }
    "Q11" "a default of null, and of a required key" {
        CONTRACT: defaults_are_effective_but_not_canonical;
        FIGURES: figure_2_is_a_template;
    }
    "Q12" "defaults keep to their key" { VALUE: values_are_judged_as_payloads_are; }
    "Q13" "`other` is put there" { READ: other_is_put_there_and_last; SHIPPED: other_is_last; }
    "Q14" "a malformed or long `other`" {
        CONTRACT: nothing_in_other_rejects;
        OTHER: limits_of_other_are_told_once;
    }
    "Q15" "`other` made inert" {
        NORMAL: normal_forms;
        SCREEN: what_is_left_of_fragments;
        INDUCTION: nothing_unscreened_is_published;
    }
    "Q16" "meaningful" { OTHER: meaningful_fragments; }
    "Q17" "a default that is sent" { CONTRACT: defaults_are_effective_but_not_canonical; }
    "Q18" "scenario and `schema_id` cannot differ" [
        "a payload names its `schema_id` alone"
    ]
    "Q19" "false stays false" { FIGURES: figure_5_is_a_payload; }
    "Q20" "seven tenths of it" { EXAMPLES: the_photo_of_section_5_2; }
    "Q21" "templates of results" {
        SHIPPED: every_request_has_a_result;
        CATALOGUE: templates_are_published_together;
    }
    "Q22" "all that is wrong, in one reply" {
        CONTRACT: the_reply_names_schema_key_and_place;
        VIOLATION: a_reply_tells_every_violation;
        REFUSED: each_break_is_told_as_what_it_is;
    }
    "Q23" "unknown and superseded versions" {
        CATALOGUE: retired_versions_are_told_with_the_current_one;
        ENGINE: a_retired_template_takes_nothing;
    }
    "Q24" "spellings of scenarios" { CATALOGUE: scenarios_are_found_however_they_are_spelled; }
    "Q25" "agent and `schema_id`" { SIGNATURE: every_attack_is_told_apart; }
    "Q26" "snake_case" {
        NAMES: snake_case_is_lower_ascii_words_with_single_lines_between;
        INDUCTION: chinese_gets_names_in_ascii;
    }
    "Q27" "promotion makes the next version" { LIFECYCLE: promotion_publishes_the_next_version; }
    "Q28" "the increment" { POOL: each_fragment_adds_the_same; SETTINGS: defaults_are_the_drafts; }
    "Q29" "the window of both counts" { POOL: the_window_is_seven_days; }
    "Q30" "who is a client" {
        POOL: the_sybil_gate_counts_histories, a_history_proves_a_client;
        SIMULATION: fresh_names_count_as_one;
    }
    "Q31" "nearest centroid, older on a tie, coldest out" {
        POOL: the_nearest_cluster_is_joined, the_coldest_cluster_goes;
        NEAREST: search_is_exact;
    }
    "Q32" "embedders are not mixed" {
        POOL: embedders_are_not_mixed, fragments_are_compared_by_their_vectors;
    }
    "Q33" "between the thresholds" {
        LIFECYCLE: measures_decide_at_their_boundaries, what_is_unknown_blames_nobody;
    }
    "Q34" "stable keys are judged on" { LIFECYCLE: stable_keys_are_judged_on; }
    "Q35" "the window of a young key" { LIFECYCLE: an_undecided_trial_ends_with_the_window; }
    "Q36" "never both" { LIFECYCLE: measures_decide_at_their_boundaries; }
    "Q37" "judges, or nobody" {
        PARTS: judges_decide_what_was_meant;
        LIFECYCLE: what_is_unknown_blames_nobody;
    }
    "Q38" "adoption is told only" { LIFECYCLE: four_measures_are_kept; }
    "Q39" "types are counted before refusal" {
        CONTRACT: types_are_reported_of_refused_payloads_too;
        LIFECYCLE: four_measures_are_kept;
    }
    "Q40" "the limit counts keys" { LIFECYCLE: the_eleventh_key_waits; }
    "Q41" "the queue" { LIFECYCLE: the_queue_is_bounded; INDUCTION: a_cooled_trigger_is_dropped; }
    "Q42" "the end of a patch" { LIFECYCLE: a_patch_ends; }
    "Q43" "`timestamp`, `expires_at`" {
        LIFECYCLE: a_patch_ends;
        READ_PATCHES: suggestions_are_patches_or_advice;
    }
    "Q44" "the short form is advice" {
        READ_PATCHES: suggestions_are_patches_or_advice;
        FIGURES: figure_9_is_a_result_and_a_suggestion;
    }
    "Q45" "who approves" { LIFECYCLE: approval_is_by_hand; }
    "Q46" "adopted" { LIFECYCLE: four_measures_are_kept; }
    "Q47" "after the windows" {
        LIFECYCLE: deprecated_keys_go_in_their_time;
        CONTRACT: unknown_keys_by_policy;
    }
    "Q48" "back only by a new patch" { LIFECYCLE: stable_keys_are_judged_on; }
    "Q49" "patches describe, and never require" {
        LIFECYCLE: a_refinement_is_folded_in;
        READ_PATCHES: patches_add_and_describe_only;
    }
    "Q50" "detached JWS over JCS" {
        CANONICAL: the_samples_of_the_rfc_are_reproduced;
        SIGNATURE: names_of_keys_and_signatures_are_known;
    }
    "Q51" "words of payment, identity and access" {
        SENSITIVE: names_of_payment_identity_and_access_are_sensitive;
        INDUCTION: sensitive_words_are_found;
    }
    "Q52" "the threshold of 0.7" { EXAMPLES: what_falls_below_the_threshold_goes_to_other; }
    "Q53" "no judge" [
        "the same as Q37"
    ]
    "Q54" "polling, and notification" { LIFECYCLE: suggestions_are_complete; }
    "Q55" "the pool is encrypted, kept for a while, and erased" {
        POOL: fragments_are_forgotten;
        ENGINE: what_a_client_said_is_erased_on_request;
        STORE: no_payload_stands_in_any_file;
    }
};

#[test]
fn every_point_is_proved() {
    let faults = faults(POINTS);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_reading_is_proved() {
    let faults = faults(READINGS);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Each point and each interpretation is there once, in order.
#[test]
fn the_tables_have_every_point() {
    let numbers =
        |points: &[Point]| -> Vec<String> { points.iter().map(|p| p.number.to_owned()).collect() };
    let wanted = |letter: char, last: u32| -> Vec<String> {
        (1..=last).map(|n| format!("{letter}{n}")).collect()
    };
    assert_eq!(numbers(POINTS), wanted('D', 114));
    assert_eq!(numbers(READINGS), wanted('Q', 55));
}
