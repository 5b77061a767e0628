//! What schema administrators do: publish, retire, approve, reject, judge, erase (draft-zhou §7).
//!
//! A wish is decided under the lock of what evolves and answered once its batch is durable, and the
//! new picture is shown then. Who may wish is asked before, where requests come in. Read next:
//! [`super::evolving`].

use super::answer::standing;
use super::changed::Changed;
use crate::access::exec;
use crate::operation::{Call, Execution, Operation};
use crate::policy::ruled;
use crate::refusal::{Conflict, InvalidInput, NotFound};
use crate::schemas::operation::{
    ApprovePatch, EraseFragments, JudgeAlignment, PatchStanding, PublishSchemaTemplate,
    PublishedTemplate, RejectPatch, RetireSchema,
};
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::audit::AuditKind;
use domain::policy::{PolicyUpdate, RuleVerdict};
use domain::time::Timestamp;
use schema::evolution::LineageCommand;
use schema::lint::{LintFinding, LintRule, LintSeverity, TemplateOrigin};
use schema::read;
use std::sync::Arc;
use store::Batch;

/// The longest language tag of a template that is published, in bytes: those that `convoke-schema` lets a
/// client prefer.
const LANGUAGE_BYTES: usize = 35;

impl Engine {
    fn publish(
        &self,
        who: &Principal,
        text: &str,
        now: Timestamp,
    ) -> Result<Execution<PublishedTemplate>, Refusal> {
        let reading = read::template(text, TemplateOrigin::Own).map_err(InvalidInput::Template)?;
        let (template, findings) = (reading.template, reading.findings);
        let schema_id = template.schema_id.clone();
        if let Some(long) = template
            .languages()
            .find(|it| it.as_str().len() > LANGUAGE_BYTES)
        {
            return Err(InvalidInput::Template(vec![LintFinding {
                path: String::new(),
                severity: LintSeverity::Error,
                rule: LintRule::Language,
                message: format!(
                    "'{long}' has more than {LANGUAGE_BYTES} bytes: nobody could prefer it"
                ),
            }])
            .into());
        }
        if let Some(typed) = &self.schemas.typed {
            let mut together = self.schemas.modules();
            together.retain(|(name, _)| *name != schema_id);
            together.push((schema_id.clone(), typed.module(&template, now)));
            typed
                .trial(&together)
                .map_err(|why| Conflict::Unpublishable {
                    schema_id: schema_id.clone(),
                    why,
                })?;
        }
        let mut changed = Changed::default();
        self.schemas
            .evolving()
            .publish(template, &who.name, now, &mut changed)?;
        changed.decided(AuditKind::SchemaPublished, who, &schema_id, now);
        let warnings = findings.iter().map(ToString::to_string).collect();
        let published = PublishedTemplate {
            schema_id,
            warnings,
        };
        Ok(self.schemas_stored(changed, None, published, now))
    }

    fn retire(
        &self,
        who: &Principal,
        schema_id: &str,
        now: Timestamp,
    ) -> Result<Execution<Option<String>>, Refusal> {
        let mut changed = Changed::default();
        let retired = self
            .schemas
            .evolving()
            .retire(schema_id, &who.name, now, &mut changed);
        let current_schema_id = retired?;
        changed.decided(AuditKind::SchemaRetired, who, schema_id, now);
        Ok(self.schemas_stored(changed, None, current_schema_id, now))
    }

    fn approve(
        &self,
        who: &Principal,
        patch_id: String,
        now: Timestamp,
    ) -> Result<Execution<PatchStanding>, Refusal> {
        let command = LineageCommand::Approve {
            patch_id: patch_id.clone(),
            principal: who.name.clone(),
        };
        self.command(who, patch_id, &command, None, now)
    }

    /// The same or a refusal, by a standing rule of the principal.
    pub(crate) fn patch_ruled(
        &self,
        who: &Principal,
        patch_id: String,
        update: &Arc<PolicyUpdate>,
        now: Timestamp,
    ) -> Result<Execution<PatchStanding>, Refusal> {
        let (id, principal) = (patch_id.clone(), who.name.clone());
        let command = match update.verdict {
            Some(RuleVerdict::Accept) => LineageCommand::Approve {
                patch_id: id,
                principal,
            },
            _ => LineageCommand::Reject {
                patch_id: id,
                principal,
                reason: format!("standing rule {}", update.rule),
            },
        };
        self.command(who, patch_id, &command, Some(update), now)
    }

    fn reject(
        &self,
        who: &Principal,
        patch_id: String,
        reason: Option<String>,
        now: Timestamp,
    ) -> Result<Execution<PatchStanding>, Refusal> {
        let (principal, reason) = (who.name.clone(), reason.unwrap_or_default());
        let active = self.schemas.evolving().is_active(&patch_id);
        let command = match active {
            true => LineageCommand::End {
                patch_id: patch_id.clone(),
                principal,
                reason,
            },
            false => LineageCommand::Reject {
                patch_id: patch_id.clone(),
                principal,
                reason,
            },
        };
        self.command(who, patch_id, &command, None, now)
    }

    fn command(
        &self,
        who: &Principal,
        patch_id: String,
        command: &LineageCommand,
        by_rule: Option<&Arc<PolicyUpdate>>,
        now: Timestamp,
    ) -> Result<Execution<PatchStanding>, Refusal> {
        let mut changed = Changed::default();
        let activity = {
            let mut evolving = self.schemas.evolving();
            let cohort = evolving.cohort_of(&patch_id);
            let decided = evolving.command(&patch_id, command, now, &mut changed);
            decided.ok_or_else(|| NotFound::Patch {
                patch_id: patch_id.clone(),
            })??;
            let lineage = cohort
                .and_then(|c| evolving.cohorts.get(&c))
                .map(|e| e.lineage());
            lineage.map_or(PatchStanding::Ended, |l| {
                standing(&l.patch_activity(&patch_id))
            })
        };
        let kind = match command {
            LineageCommand::Approve { .. } => AuditKind::PatchApproved,
            _ => AuditKind::PatchRejected,
        };
        changed.decided(kind, who, &patch_id, now);
        if let Some(update) = by_rule {
            changed.happenings.extend(ruled(update, who, now));
        }
        Ok(self.schemas_stored(changed, None, activity, now))
    }

    fn judge_alignment(
        &self,
        who: &Principal,
        sample_id: &str,
        matches: bool,
        now: Timestamp,
    ) -> Result<Execution<()>, Refusal> {
        let mut changed = Changed::default();
        if !self
            .schemas
            .evolving()
            .judge(sample_id, matches, now, &mut changed)
        {
            return Err(NotFound::Sample {
                sample_id: sample_id.to_owned(),
            }
            .into());
        }
        let said = if matches { "as meant" } else { "not as meant" };
        let subject = format!("{sample_id}: {said}");
        changed.decided(AuditKind::AlignmentJudged, who, &subject, now);
        Ok(self.schemas_stored(changed, None, (), now))
    }

    /// What waits to be taken in is taken in first, so that nothing of the client comes in later.
    fn erase(
        &self,
        who: &Principal,
        client: &str,
        now: Timestamp,
    ) -> Result<Execution<u64>, Refusal> {
        let mut changed = Changed::default();
        let rows = self.store.observations(usize::MAX)?;
        let mut evolving = self.schemas.evolving();
        let taken = evolving.take_in(&rows, &mut changed);
        let erased = evolving.erase(client, &who.name, now, &mut changed);
        drop(evolving);
        changed
            .documents
            .extend(self.schemas.delivered().erase(client));
        changed.decided(AuditKind::FragmentsErased, who, client, now);
        Ok(self.schemas_stored(changed, taken, erased, now))
    }

    /// Commits what changed, and that observations were taken in up to `observed`; the answer is given,
    /// and the new picture shown, once it is durable.
    fn schemas_stored<T: Send + 'static>(
        &self,
        changed: Changed,
        observed: Option<u64>,
        answer: T,
        now: Timestamp,
    ) -> Execution<T> {
        let (schemas, store) = (Arc::clone(&self.schemas), self.store.clone());
        let (number, picture) = schemas.evolving().numbered(now);
        let ticket = self.store.commit(Batch {
            observed,
            ..changed.into_batch()
        });
        Execution::later(async move {
            if let Err(cause) = ticket.await {
                schemas.reload(&store, now)?;
                return Err(cause.into());
            }
            schemas.show(number, picture);
            Ok(answer)
        })
    }
}

/// Makes a type the rpc of module convoke-schema of this name, for those alone whom a rule lets in
/// (`nacm:default-deny-all`).
macro_rules! guarded {
    ($operation:ident, $name:literal, $output:ty, $run:expr) => {
        impl Operation for $operation {
            type Output = $output;

            fn rpc(&self) -> Option<Request<'static>> {
                Some(exec("convoke-schema", $name, true))
            }

            fn run(self, call: Call<'_, Self>) -> Result<Execution<$output>, Refusal> {
                let run: fn(Self, Call<'_, Self>) -> Result<Execution<$output>, Refusal> = $run;
                run(self, call)
            }
        }
    };
}

guarded!(
    PublishSchemaTemplate,
    "publish-schema-template",
    PublishedTemplate,
    |it, by| by.engine.publish(by.who, &it.template, by.now)
);
guarded!(RetireSchema, "retire-schema", Option<String>, |it, by| by
    .engine
    .retire(by.who, &it.schema_id, by.now));
guarded!(ApprovePatch, "approve-patch", PatchStanding, |it, by| {
    by.engine.approve(by.who, it.patch_id, by.now)
});
guarded!(RejectPatch, "reject-patch", PatchStanding, |it, by| {
    by.engine.reject(by.who, it.patch_id, it.reason, by.now)
});
guarded!(JudgeAlignment, "judge-alignment", (), |it, by| {
    by.engine
        .judge_alignment(by.who, &it.sample_id, it.matches, by.now)
});
guarded!(EraseFragments, "erase-fragments", u64, |it, by| {
    by.engine.erase(by.who, &it.client, by.now)
});
