//! Patches and suggestions, read.

use super::*;

/// D86, Q43, Q44: a whole patch, and Figure 9's short form, which is advice.
#[test]
fn suggestions_are_patches_or_advice() {
    let new_key = json!({"key_name": "seat_preference", "key_type": "string", "required": false,
        "default_value": "none", "semantic_description": "Seat preference. Acceptable values: window, aisle, none."});
    let (short, findings) =
        suggestion(&json!({"new_keys": [new_key]}), TemplateOrigin::Peer).unwrap();
    assert!(
        matches!(&short, Suggestion::Advice { new_keys, .. } if new_keys[0].key_name == "seat_preference")
    );
    assert_eq!(findings, []);
    let whole = json!({"patch_id": "p1", "parent_schema_id": "flight_booking_v1",
        "timestamp": "2026-05-04T00:00:00Z", "expires_at": "2026-08-02T00:00:00Z", "new_keys": [new_key]});
    assert!(
        matches!(suggestion(&whole, TemplateOrigin::Peer).unwrap().0, Suggestion::Patch(p) if p.client.is_none())
    );
    assert!(suggestion("{}", TemplateOrigin::Peer).is_err());
}

/// D76, D86, Q49, row 26: a patch that takes, requires or retypes is refused, and all is told.
#[test]
fn patches_add_and_describe_only() {
    let base = json!({"patch_id": "p1", "parent_schema_id": "saving_v1",
        "timestamp": "2026-05-04T00:00:00Z", "expires_at": "2026-08-02T00:00:00Z",
        "new_keys": [{"key_name": "depth", "key_type": "integer", "required": false,
                      "semantic_description": "How deep."}],
        "modified_keys": [{"key_name": "cell", "semantic_description": "The cell. Example: 'here' -> 'c1'."}]});
    let told = |pointer: &str, value: Value| {
        let mut source = base.clone();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = source.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        match value {
            Value::Null => parent.remove(name),
            value => parent.insert(name.into(), value),
        };
        match patch(&source, TemplateOrigin::Peer) {
            Ok((_, findings)) | Err(findings) => findings
                .iter()
                .map(|f| format!("{} {}", f.path, f.rule.as_str()))
                .collect::<Vec<_>>()
                .join("; "),
        }
    };
    assert_eq!(told("/client", json!("c1")), "");
    for (pointer, value, expected) in [
        ("/patch_id", Value::Null, " missing"),
        ("/parent_schema_id", Value::Null, " missing"),
        ("/timestamp", json!("yesterday"), "/timestamp mistyped"),
        ("/expires_at", Value::Null, " missing"),
        (
            "/expires_at",
            json!("2026-05-04T00:00:00Z"),
            "/expires_at patch",
        ),
        (
            "/new_keys/0/required",
            json!(true),
            "/new_keys/0/required patch",
        ),
        (
            "/new_keys/0/key_name",
            json!("other"),
            "/new_keys/0/key_type other; /new_keys/0/key_name patch",
        ),
        ("/new_keys/0/key_name", json!("cell"), " duplicate-key"),
        (
            "/modified_keys/0/key_type",
            json!("integer"),
            "/modified_keys/0/key_type patch",
        ),
        (
            "/modified_keys/0/required",
            json!(true),
            "/modified_keys/0/required patch",
        ),
        (
            "/modified_keys/0/semantic_description",
            Value::Null,
            "/modified_keys/0 undescribed",
        ),
        ("/new_keys", json!({}), "/new_keys mistyped"),
    ] {
        assert_eq!(told(pointer, value), expected, "{pointer}");
    }
    let mut empty = base.clone();
    empty["new_keys"] = json!([]);
    empty["modified_keys"] = json!([]);
    assert_eq!(
        patch(&empty, TemplateOrigin::Own).unwrap_err()[0].rule,
        LintRule::Patch
    );
}
