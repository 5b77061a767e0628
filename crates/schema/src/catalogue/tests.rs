//! The catalogue: what is published never changes, and what is not there is told with what is.

use super::*;
use crate::read;
use serde_json::{Value, json};

fn template(schema_id: &str, changes: Value) -> Template {
    let (scenario, _) = schema_id.rsplit_once("_v").unwrap();
    let mut source = json!({
        "schema_id": schema_id, "scenario": scenario, "title": {"en": "A title", "zh": "标题"},
        "keys": [{"key_name": "cell_id", "key_type": "string", "required": true,
                  "semantic_description": "The cell."}]
    });
    source
        .as_object_mut()
        .unwrap()
        .extend(changes.as_object().unwrap().clone());
    read::template(&source, TemplateOrigin::Own)
        .unwrap()
        .template
}

fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::new("energy");
    catalogue
        .publish(template("saving_result_v1", json!({})))
        .unwrap();
    let asked = json!({"response_schema_id": "saving_result_v1"});
    catalogue
        .publish(template("saving_v1", asked.clone()))
        .unwrap();
    catalogue.publish(template("saving_v3", asked)).unwrap();
    catalogue
        .publish(template("fault_diagnosis_v1", json!({})))
        .unwrap();
    catalogue
}

/// D23, D77, Q27: a name means one content for ever, and versions grow.
#[test]
fn what_is_published_never_changes() {
    let mut catalogue = catalogue();
    let before = catalogue.clone();
    let refused = |catalogue: &mut Catalogue, t: Template| catalogue.publish(t).unwrap_err();
    assert_eq!(
        refused(
            &mut catalogue,
            template("saving_v3", json!({"title": "Other"}))
        ),
        PublishError::Changed {
            schema_id: "saving_v3".into()
        }
    );
    assert_eq!(
        refused(&mut catalogue, template("saving_v2", json!({}))),
        PublishError::NotNewer {
            schema_id: "saving_v2".into(),
            newest: "saving_v3".into()
        }
    );
    assert_eq!(
        refused(
            &mut catalogue,
            template("repair_v1", json!({"response_schema_id": "none_v1"}))
        ),
        PublishError::NoResponse {
            schema_id: "repair_v1".into(),
            response: "none_v1".into()
        }
    );
    catalogue
        .publish(template("fault_diagnosis_v1", json!({})))
        .unwrap();
    assert_eq!(catalogue, before);
}

/// Q21: the order in which templates come is no matter; one that fails keeps all away.
#[test]
fn templates_are_published_together() {
    let all = || {
        let asked = json!({"response_schema_id": "saving_result_v1"});
        vec![
            template("saving_v3", asked.clone()),
            template("saving_v1", asked),
            template("fault_diagnosis_v1", json!({})),
            template("saving_result_v1", json!({})),
        ]
    };
    let mut together = Catalogue::new("energy");
    together.publish_all(all()).unwrap();
    assert_eq!(together, catalogue());
    let mut none = Catalogue::new("energy");
    let mut lacking = all();
    lacking.pop();
    assert!(matches!(
        none.publish_all(lacking),
        Err(PublishError::NoResponse { .. })
    ));
    assert_eq!(none, Catalogue::new("energy"));
}

/// D21 to D33: nothing that breaks rules is published.
#[test]
fn what_breaks_rules_is_not_published() {
    let mut broken = template("repair_v1", json!({}));
    broken.keys[0].key_name = "Cell ID".into();
    let error = Catalogue::new("energy").publish(broken).unwrap_err();
    assert!(
        matches!(error, PublishError::Unfit { findings, .. } if findings[0].path == "/keys/0/key_name")
    );
}

/// D24, Q24: a scenario is found in any of its spellings.
#[test]
fn scenarios_are_found_however_they_are_spelled() {
    let catalogue = catalogue();
    for spelling in [
        "fault_diagnosis",
        "Fault Diagnosis",
        "fault-diagnosis",
        "  FAULT  diagnosis ",
    ] {
        assert_eq!(
            catalogue.newest(spelling).unwrap().schema_id,
            "fault_diagnosis_v1",
            "{spelling}"
        );
    }
    assert_eq!(catalogue.newest("saving").unwrap().schema_id, "saving_v3");
}

/// D53, Q3: an unknown scenario is told with those there are; scenarios of results are not.
#[test]
fn unknown_scenarios_are_told_with_the_known_ones() {
    let error = catalogue().newest("order a latte").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no scenario 'order a latte' here; there are fault_diagnosis, saving"
    );
    let listed = catalogue().scenarios();
    assert_eq!(listed[1].schema_id, "saving_v3");
    assert_eq!(
        listed[1].response_schema_id.as_deref(),
        Some("saving_result_v1")
    );
    assert!(listed[1].title.is_some());
    // A result may still be looked up by who receives it.
    assert_eq!(
        catalogue()
            .response_of("saving_v1")
            .unwrap()
            .unwrap()
            .schema_id,
        "saving_result_v1"
    );
    assert_eq!(catalogue().response_of("fault_diagnosis_v1").unwrap(), None);
}

/// Q23: older versions serve until retired; then the current one is named.
#[test]
fn retired_versions_are_told_with_the_current_one() {
    let mut catalogue = catalogue();
    assert!(catalogue.template("saving_v1").is_ok());
    catalogue.retire("saving_v1").unwrap();
    let unknown = |c: &Catalogue, id: &str| c.template(id).unwrap_err();
    assert_eq!(
        unknown(&catalogue, "saving_v1").current.as_deref(),
        Some("saving_v3")
    );
    assert_eq!(
        unknown(&catalogue, "saving_v2").to_string(),
        "no schema 'saving_v2' here; 'saving_v3' is current"
    );
    assert_eq!(unknown(&catalogue, "latte_v1").current, None);
    assert!(catalogue.retire("latte_v1").is_err());
    catalogue.retire("saving_v3").unwrap();
    assert!(catalogue.newest("saving").is_err());
    // The name stays taken.
    let again = template("saving_v1", json!({"title": "Other"}));
    assert!(matches!(
        catalogue.publish(again),
        Err(PublishError::Changed { .. })
    ));
    assert_eq!(
        catalogue.identity("saving_v1").to_string(),
        "energy/saving_v1"
    );
}
