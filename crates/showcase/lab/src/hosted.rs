//! The agents at the laboratory: a platform in memory that is a NETCONF client of the management
//! system, as `convoke serve --ems` is.
//!
//! Knows what it was enrolled with and what it is told over NETCONF. Tells what happens as lines of
//! JSON ([`AgentsEvent`]), which whoever keeps the score reads; hears nothing. Read next:
//! [`server::managed`], [`crate::score`].

use crate::enrolment;
use crate::error::LabError;
use crate::run_folder::RunFolder;
use agents::ip_fault::routing::findings::RoutingFinding;
use agents::payloads::Schema;
use agents::payloads::diagnosis::DiagnosisResult;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::{Action, Alarm, AlarmType, Severity};
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use server::clock::Clock;
use server::config::Settings;
use server::host::{Home, Host};
use server::managed::{ManagedNetwork, SurveyError, survey};
use server::runtime::Runtime;
use server::story::{Listener, StoryEntry, StoryEvent};
use std::sync::{Arc, Mutex};
use tokio::task::JoinSet;

/// The roles of the agents at the laboratory.
pub const ROLES: [&str; 3] = ["oss-fault", "ip-fault", "trouble-ticket"];

/// How long is waited for the inventory of the management system, in seconds.
const INVENTORY_WITHIN_S: u64 = 30;

/// What happens to the agents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum AgentsEvent {
    /// The agents have read what there is, and have begun.
    Ready,
    /// The management system was lost, if only for a moment: what agents do is no longer up to them.
    Lost {
        /// Why.
        why: String,
    },
    /// An alarm was delivered.
    Alarm {
        /// When.
        at: Timestamp,
        /// On what.
        resource: ElementId,
        /// Of which type.
        alarm_type: AlarmType,
        /// How bad.
        severity: Severity,
        /// When it was noticed.
        noticed: Timestamp,
        /// True if the condition has gone.
        cleared: bool,
        /// In words.
        text: String,
    },
    /// An agent says what is wrong.
    Finding {
        /// When.
        at: Timestamp,
        /// Who.
        agent: String,
        /// Where.
        element: ElementId,
        /// What.
        cause: Cause,
    },
    /// An agent does something about it.
    Intervention {
        /// When.
        at: Timestamp,
        /// Who.
        agent: String,
        /// To what.
        element: ElementId,
        /// The parameter; none if the element is switched off and on.
        parameter: Option<String>,
        /// Its value.
        value: Option<String>,
    },
    /// An agent explains itself.
    Note {
        /// When.
        at: Timestamp,
        /// Who.
        agent: String,
        /// The words.
        text: String,
    },
}

impl AgentsEvent {
    /// What of a platform's story is told.
    fn of(entry: &StoryEntry) -> Option<Self> {
        let at = entry.at;
        match &entry.happened {
            StoryEvent::Alarm(alarm) => {
                let Alarm {
                    resource,
                    alarm_type,
                    severity,
                    time,
                    cleared,
                    text,
                    qualifier: _,
                } = alarm.clone();
                Some(Self::Alarm {
                    at,
                    resource,
                    alarm_type,
                    severity,
                    noticed: time,
                    cleared,
                    text,
                })
            }
            StoryEvent::Note { agent, text } => Some(match RoutingFinding::told(text) {
                Some((element, cause)) => Self::Finding {
                    at,
                    agent: agent.clone(),
                    element,
                    cause,
                },
                None => Self::Note {
                    at,
                    agent: agent.clone(),
                    text: text.clone(),
                },
            }),
            StoryEvent::Notified {
                from, notification, ..
            } => {
                let result = DiagnosisResult::in_content(&notification.content)?;
                let (element, cause) = (result.root_cause?, result.cause?);
                result.confirmed.then(|| Self::Finding {
                    at,
                    agent: from.clone(),
                    element,
                    cause,
                })
            }
            StoryEvent::Acted { agent, action } => {
                let (element, parameter, value) = match action.clone() {
                    Action::Configure {
                        element,
                        parameter,
                        value,
                    } => (element, Some(parameter), Some(value)),
                    Action::Restart { element } => (element, None, None),
                    _ => return None,
                };
                Some(Self::Intervention {
                    at,
                    agent: agent.clone(),
                    element,
                    parameter,
                    value,
                })
            }
            _ => None,
        }
    }
}

/// Runs the agents until `stop` resolves; `tell` is called with what happens.
///
/// # Errors
/// [`LabError::Survey`] if the management system does not tell of its network, [`LabError::Start`] if
/// the platform does not start.
pub async fn run(
    prefix: &str,
    tell: impl FnMut(&AgentsEvent) + Send + 'static,
    stop: impl Future<Output = ()>,
) -> Result<(), LabError> {
    let systems = enrolment::systems(&RunFolder::of(prefix)).map_err(SurveyError::from)?;
    let settings = Settings {
        roles: Some(ROLES.map(str::to_owned).to_vec()),
        ems: Some(systems),
        ems_wait_s: Some(INVENTORY_WITHIN_S),
        ..Settings::default()
    };
    let clock = Arc::new(Clock::wall());
    let surveyed = survey(&settings, &clock).await?;
    let inventory = Arc::clone(surveyed.inventory());
    let host = Host::start(Home::Memory, &settings, arena::shipped(), inventory, clock).await?;
    let host = Arc::new(host);
    let losses = surveyed.losses();
    let network = ManagedNetwork::new(surveyed, host.posts.clone(), host.platform.engine());
    let tell = Arc::new(Mutex::new(tell));
    let say = move |event: &AgentsEvent| {
        let mut tell = tell.lock().expect("no holder panics");
        (*tell)(event);
    };
    say(&AgentsEvent::Ready);
    // They end with this run.
    let mut watching = JoinSet::new();
    for mut lost in losses {
        let say = say.clone();
        watching.spawn(async move {
            while lost.changed().await.is_ok() {
                let why = lost.borrow_and_update().clone();
                say(&AgentsEvent::Lost { why });
            }
        });
    }
    let listener: Listener = Box::new(move |entry| {
        if let Some(event) = AgentsEvent::of(entry) {
            say(&event);
        }
    });
    let mut runtime = Runtime::new(host, network, listener);
    runtime.begin().await;
    runtime.live(stop).await;
    runtime.end().await;
    Ok(())
}
