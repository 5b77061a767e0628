//! The payloads of a message, held to their schemas before anything is done with it (draft-zhou
//! §3.2, §4.1).
//!
//! What goes on is canonical: nulls gone, `other` normalised and limited, so that nobody reads it
//! raw. That holds for everyone who speaks: publishers, executors outside, and agents in here, whose
//! words come without a request that could be refused. Read next: [`crate::schemas`].

use crate::schemas::notice::Annotations;
use crate::schemas::{Checked, Lesson, Observed};
use crate::tasks::message::Negotiate;
use crate::tasks::request::{Sections, sections};
use crate::{Engine, Refusal};
use domain::agent::{Output, Progress};
use domain::content::{Content, Payload};
use domain::negotiation::{Side, Speech};
use domain::reply::{Reason, Reply, Verdict};
use domain::time::Timestamp;
use domain::verb::Verb;
use tracing::{error, warn};

/// Why an agent in here is taken to refuse: what it said breaks a schema.
const UNFIT: &str = "kv-payload";

/// Who speaks, and on which side of the task.
#[derive(Clone, Copy)]
pub(super) struct Speaker<'a> {
    name: &'a str,
    side: Side,
}

impl<'a> Speaker<'a> {
    pub(super) fn publisher(name: &'a str) -> Self {
        let side = Side::Publisher;
        Self { name, side }
    }

    pub(super) fn executor(name: &'a str) -> Self {
        let side = Side::Executor;
        Self { name, side }
    }
}

/// A message whose payloads keep to their schemas.
pub(super) struct Held {
    /// The sections, the payload canonical.
    pub(super) content: Content,
    /// The alternatives of an offer, likewise; none if there is one at most.
    pub(super) alternatives: Vec<Content>,
    /// What the payload of an assignment teaches, as a row.
    pub(super) observed: Option<String>,
}

/// A payload as it came, and what became of it.
struct Taken {
    came: Payload,
    checked: Checked,
}

impl Engine {
    /// Reads the sections of a message and holds their payloads to their schemas. Afterwards the
    /// texts of the message are what is kept of it, a payload that came as typed XML among them: so
    /// it is known again when it is sent again.
    ///
    /// # Errors
    /// [`InvalidInput`](crate::refusal::InvalidInput) with everything that is wrong with the payload,
    /// [`NotFound`](crate::refusal::NotFound) of its schema
    pub(super) fn held(
        &self,
        negotiate: &mut Negotiate,
        speaker: Speaker<'_>,
        annotations: &mut Annotations,
        now: Timestamp,
    ) -> Result<Held, Refusal> {
        let Sections {
            mut content,
            mut alternatives,
        } = sections(negotiate)?;
        let typed = negotiate.payload.take().is_some();
        for (place, alternative) in alternatives.iter_mut().enumerate() {
            let taken = self.hold(alternative, speaker, now);
            let taken = taken.map_err(|refusal| refusal.of_alternative(place + 1))?;
            let rewritten = taken.as_ref().is_some_and(Taken::changed) || (typed && place == 0);
            if rewritten {
                negotiate.texts[place] = alternative.render();
            }
            annotations.warned(taken.map(|t| t.checked.warnings));
        }
        let taken = self.hold(&mut content, speaker, now)?;
        if !alternatives.is_empty() {
            return Ok(Held {
                content,
                alternatives,
                observed: None,
            });
        }
        if typed || taken.as_ref().is_some_and(Taken::changed) {
            negotiate.texts = vec![content.render()];
        }
        let teaches = negotiate.verb == Verb::TaskAssign;
        let lesson = taken.as_ref().filter(|_| teaches);
        let observed = lesson.and_then(|taken| self.lesson(taken, &content, speaker, now));
        annotations.warned(taken.map(|t| t.checked.warnings));
        Ok(Held {
            content,
            alternatives,
            observed,
        })
    }

    /// Holds the payload of what a publisher will ask others to its schema.
    ///
    /// # Errors
    /// As of [`Engine::held`].
    pub(crate) fn held_content(
        &self,
        content: &mut Content,
        publisher: &str,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let speaker = Speaker::publisher(publisher);
        self.hold(content, speaker, now).map(drop)
    }

    /// Holds the payload of one content to its schema; nothing if it has none.
    fn hold(
        &self,
        content: &mut Content,
        speaker: Speaker<'_>,
        now: Timestamp,
    ) -> Result<Option<Taken>, Refusal> {
        if !self.schemas.is_in_use() {
            return Ok(None);
        }
        let Some(came) = content.payload.take() else {
            return Ok(None);
        };
        let request = &content.task_description;
        match self.schemas.check(speaker.name, &came, speaker.side) {
            Ok(checked) => {
                tell(&came.schema_id, speaker.name, &checked.warnings);
                content.payload = Some(checked.payload.clone());
                Ok(Some(Taken { came, checked }))
            }
            Err(refusal) => {
                let publishes = speaker.side == Side::Publisher;
                let refused = || self.schemas.refused(speaker.name, &came, request, now);
                if let Some(observed) = publishes.then(refused).flatten() {
                    drop(self.observe(&observed));
                }
                Err(refusal)
            }
        }
    }

    /// What a payload teaches, as a row.
    fn lesson(
        &self,
        taken: &Taken,
        content: &Content,
        speaker: Speaker<'_>,
        now: Timestamp,
    ) -> Option<String> {
        let Taken { came, checked } = taken;
        let telling = checked.watched || !checked.fragments.is_empty();
        (telling && self.schemas.learns).then(|| {
            let observed = Observed {
                scenario: checked.scenario.clone(),
                client: speaker.name.to_owned(),
                at: now,
                lesson: Lesson::Payload {
                    values: came.values.clone(),
                    accepted: true,
                    fragments: checked.fragments.clone(),
                    request: content.task_description.clone(),
                },
            };
            observed.encode()
        })
    }

    /// What an agent in here says, held likewise. Nobody can be told that it breaks a schema: an
    /// answer or offer that does is a refusal, a result that does is a failure, of anything else
    /// the payload is left out.
    pub(crate) fn held_output(&self, agent: &str, output: Output, now: Timestamp) -> Output {
        let hold = |content: &mut Content| {
            let held = self.hold(content, Speaker::executor(agent), now);
            let why = held.err().map(|refusal| refusal.to_string());
            if let Some(why) = &why {
                error!(agent, "agent '{agent}' breaks a schema: {why}");
            }
            why
        };
        match output {
            Output::Answer(mut reply) => match reply.content.iter_mut().find_map(hold) {
                Some(why) => Output::Answer(unfit(reply, why)),
                None => Output::Answer(reply),
            },
            Output::Speak {
                task,
                kind,
                mut speech,
            } => {
                if let Some(why) = speech.contents.iter_mut().find_map(hold) {
                    speech = Speech::refuse(vec![reason(why)]);
                }
                Output::Speak { task, kind, speech }
            }
            Output::Report { task, mut progress } => {
                let why = said(&mut progress).and_then(hold);
                let progress = match (why, progress) {
                    (Some(why), Progress::Result(result)) => {
                        Progress::Failed(Content::new(result.target_object, why))
                    }
                    (_, progress) => progress,
                };
                Output::Report { task, progress }
            }
            other => other,
        }
    }
}

impl Taken {
    fn changed(&self) -> bool {
        self.came != self.checked.payload
    }
}

/// What deserves a word to who runs the platform.
fn tell(schema_id: &str, client: &str, warnings: &[String]) {
    if !warnings.is_empty() {
        warn!(
            schema.id = schema_id,
            client,
            schema.warnings = ?warnings,
            "a payload of '{client}' under {schema_id} was taken, but should be mended"
        );
    }
}

/// The content of a report.
fn said(progress: &mut Progress) -> Option<&mut Content> {
    match progress {
        Progress::Working { content, .. }
        | Progress::Blocked(content)
        | Progress::InputRequired(content)
        | Progress::AuthRequired(content)
        | Progress::Result(content)
        | Progress::Failed(content)
        | Progress::Refused(content) => Some(content),
    }
}

/// An answer of which nothing can be passed on.
fn unfit(reply: Reply, why: String) -> Reply {
    Reply {
        verdict: Verdict::Refused,
        content: Vec::new(),
        reasons: vec![reason(why)],
        ..reply
    }
}

fn reason(message: String) -> Reason {
    Reason {
        reason: UNFIT.to_owned(),
        path: String::new(),
        message,
    }
}
