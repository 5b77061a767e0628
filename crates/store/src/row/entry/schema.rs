//! The stored form of schema changes in the log.

use super::*;

#[derive(Serialize, Deserialize)]
pub(super) struct SchemaRow<'a> {
    time: i64,
    scenario: Cow<'a, str>,
    schema_id: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    patch_id: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client: Option<Cow<'a, str>>,
    change: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    key_names: Vec<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    principal: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<Cow<'a, str>>,
}

impl<'a> From<&'a SchemaUpdate> for SchemaRow<'a> {
    fn from(update: &'a SchemaUpdate) -> Self {
        Self {
            time: update.time.as_ms(),
            scenario: Cow::Borrowed(&update.scenario),
            schema_id: Cow::Borrowed(&update.schema_id),
            patch_id: update.patch_id.as_deref().map(Cow::Borrowed),
            client: update.client.as_deref().map(Cow::Borrowed),
            change: Cow::Borrowed(update.change.as_str()),
            key_names: update
                .key_names
                .iter()
                .map(|k| Cow::Borrowed(k.as_str()))
                .collect(),
            principal: update.principal.as_deref().map(Cow::Borrowed),
            reason: update.reason.as_deref().map(Cow::Borrowed),
        }
    }
}

impl SchemaRow<'_> {
    pub(super) fn into_update(self) -> Option<SchemaUpdate> {
        Some(SchemaUpdate {
            time: Timestamp::from_ms(self.time),
            scenario: self.scenario.into_owned(),
            schema_id: self.schema_id.into_owned(),
            patch_id: self.patch_id.map(Cow::into_owned),
            client: self.client.map(Cow::into_owned),
            change: SchemaChange::parse(&self.change)?,
            key_names: self.key_names.into_iter().map(Cow::into_owned).collect(),
            principal: self.principal.map(Cow::into_owned),
            reason: self.reason.map(Cow::into_owned),
        })
    }
}
