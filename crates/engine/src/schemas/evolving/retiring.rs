//! Templates that take no payloads any more (draft-zhou §4.1).
//!
//! What evolves stands on the newest version of its scenario, so that one goes last. Read next:
//! [`super`].

use super::{Evolving, kept};
use crate::Refusal;
use crate::refusal::Conflict;
use crate::schemas::changed::Changed;
use domain::notification::{SchemaChange, SchemaUpdate};
use domain::time::Timestamp;
use std::sync::Arc;

impl Evolving {
    /// Retires a template; the newest one of its scenario that is left, if any is.
    ///
    /// # Errors
    /// [`NotFound`](crate::refusal::NotFound), [`Conflict::Unretirable`]; nothing has changed then.
    pub(in crate::schemas) fn retire(
        &mut self,
        schema_id: &str,
        principal: &str,
        now: Timestamp,
        changed: &mut Changed,
    ) -> Result<Option<String>, Refusal> {
        let template = Arc::clone(self.catalogue.template(schema_id)?);
        self.check_needless(schema_id, &template.scenario)?;
        self.catalogue.retire(schema_id)?;
        changed
            .documents
            .push(kept::retired(schema_id, principal, now));
        changed.tell(SchemaUpdate {
            time: now,
            scenario: template.scenario.clone(),
            schema_id: schema_id.to_owned(),
            patch_id: None,
            client: None,
            change: SchemaChange::TemplateRetired,
            key_names: Vec::new(),
            principal: Some(principal.to_owned()),
            reason: None,
        });
        let current = self.catalogue.newest(&template.scenario).ok();
        Ok(current.map(|current| current.schema_id.clone()))
    }

    /// That nothing else needs it.
    fn check_needless(&self, schema_id: &str, scenario: &str) -> Result<(), Refusal> {
        let refused = |why| {
            Err(Conflict::Unretirable {
                schema_id: schema_id.to_owned(),
                why,
            }
            .into())
        };
        let mut served = self.catalogue.served();
        let user = served.find(|t| t.response_schema_id.as_deref() == Some(schema_id));
        if let Some(user) = user {
            return refused(format!("results of '{}' follow it", user.schema_id));
        }
        let of_scenario = self.catalogue.served().filter(|t| t.scenario == scenario);
        let is_newest = self
            .catalogue
            .newest(scenario)
            .is_ok_and(|n| n.schema_id == schema_id);
        match is_newest && of_scenario.count() > 1 {
            true => {
                refused("it is the newest of its scenario, and older ones are served".to_owned())
            }
            false => Ok(()),
        }
    }
}
