//! The comparison of an assignment with what was agreed on (draft §5.3, 1).
//!
//! Knows contents only. Read next: [`crate::content`].

use crate::content::Content;

/// The first difference between an assignment and the agreement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{path}' is not as agreed: {agreed} was agreed, {found} is assigned")]
pub struct Divergence {
    /// The section, or the key of the payload.
    pub path: String,
    /// The value agreed on.
    pub agreed: String,
    /// The value found.
    pub found: String,
}

/// Compares an assignment with the agreement: the target object and, where there is a payload, its
/// schema and every key; without one the task description.
///
/// # Errors
/// [`Divergence`]: the first difference.
pub fn fits(agreed: &Content, assigned: &Content) -> Result<(), Divergence> {
    let same = |path: &str, agreed: &str, found: &str| match agreed == found {
        true => Ok(()),
        false => Err(Divergence {
            path: path.to_owned(),
            agreed: agreed.to_owned(),
            found: found.to_owned(),
        }),
    };
    same(
        "target object",
        &agreed.target_object,
        &assigned.target_object,
    )?;
    let Some(payload) = &agreed.payload else {
        return same(
            "task description",
            &agreed.task_description,
            &assigned.task_description,
        );
    };
    let found = assigned.payload.as_ref();
    let schema = found.map_or("nothing", |p| &p.schema_id);
    same("schema_id", &payload.schema_id, schema)?;
    let found = found.map(|p| &p.values);
    let keys = payload
        .values
        .keys()
        .chain(found.into_iter().flatten().map(|(k, _)| k));
    for key in keys {
        let word = |value: Option<&serde_json::Value>| {
            value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
        };
        let assigned = word(found.and_then(|v| v.get(key)));
        same(key, &word(payload.values.get(key)), &assigned)?;
    }
    Ok(())
}
