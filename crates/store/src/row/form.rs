//! JSON forms of the domain's types that are stored in one column.
//!
//! serde checks each mirrored struct against the type it mirrors, so a field that the domain adds
//! does not compile until it has its place here. Keys are the domain's names. Read next:
//! [`super::content`], [`super::negotiation`], [`super::push_config`], [`super::registration`],
//! [`super::team`].

use super::content::ContentRow;
use domain::content::Content;
use domain::discovery::Criteria;
use domain::negotiation::{Side, Speech, Stance, Turn};
use domain::profile::{AuthenticationMethod, Capability, Layer, Profile, Skill};
use domain::push::{PushAuthentication, PushConfig};
use domain::registry::{Health, Reach, Registration};
use domain::reply::Reason;
use domain::task::{Conditions, Subscription, TaskId};
use domain::team::{Candidate, Need, Standing, Team};
use domain::time::Timestamp;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

/// The form of a type whose values have names: the name.
macro_rules! named {
    ($module:ident, $type:ty, $parse:expr) => {
        pub(crate) mod $module {
            use super::*;

            pub(crate) fn serialize<S: Serializer>(value: &$type, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(value.as_str())
            }

            pub(crate) fn deserialize<'de, D>(d: D) -> Result<$type, D::Error>
            where
                D: Deserializer<'de>,
            {
                let name = String::deserialize(d)?;
                let parse: fn(&str) -> Option<$type> = $parse;
                parse(&name).ok_or_else(|| D::Error::custom(format!("no such name: {name}")))
            }
        }
    };
}

/// The form of a list of a type that has a form.
macro_rules! listed {
    ($module:ident, $type:ty, $form:literal) => {
        pub(crate) mod $module {
            use super::*;

            pub(crate) fn serialize<S: Serializer>(
                list: &[$type],
                s: S,
            ) -> Result<S::Ok, S::Error> {
                #[derive(Serialize)]
                struct Each<'a>(#[serde(with = $form)] &'a $type);
                s.collect_seq(list.iter().map(Each))
            }

            pub(crate) fn deserialize<'de, D>(d: D) -> Result<Vec<$type>, D::Error>
            where
                D: Deserializer<'de>,
            {
                #[derive(Deserialize)]
                struct Each(#[serde(with = $form)] $type);
                let list = Vec::<Each>::deserialize(d)?;
                Ok(list.into_iter().map(|each| each.0).collect())
            }
        }
    };
}

/// The form of an optional value of a type that has a form.
macro_rules! optional {
    ($module:ident, $type:ty, $form:literal) => {
        pub(crate) mod $module {
            use super::*;

            pub(crate) fn serialize<S: Serializer>(
                value: &Option<$type>,
                s: S,
            ) -> Result<S::Ok, S::Error> {
                #[derive(Serialize)]
                struct Each<'a>(#[serde(with = $form)] &'a $type);
                value.as_ref().map(Each).serialize(s)
            }

            pub(crate) fn deserialize<'de, D>(d: D) -> Result<Option<$type>, D::Error>
            where
                D: Deserializer<'de>,
            {
                #[derive(Deserialize)]
                struct Each(#[serde(with = $form)] $type);
                Ok(Option::<Each>::deserialize(d)?.map(|each| each.0))
            }
        }
    };
}

pub(crate) mod instant {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(at: &Timestamp, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_i64(at.as_ms())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Timestamp, D::Error> {
        i64::deserialize(d).map(Timestamp::from_ms)
    }
}

pub(crate) mod content {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(content: &Content, s: S) -> Result<S::Ok, S::Error> {
        ContentRow::from(content).serialize(s)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Content, D::Error> {
        ContentRow::deserialize(d).map(Content::from)
    }
}

mod profile {
    use super::*;

    pub(super) fn serialize<S: Serializer>(
        profile: &Arc<Profile>,
        s: S,
    ) -> Result<S::Ok, S::Error> {
        ProfileForm::serialize(profile, s)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Arc<Profile>, D::Error> {
        ProfileForm::deserialize(d).map(Arc::new)
    }
}

named!(task_id, TaskId, |id| Some(TaskId::new(id)));
named!(side, Side, Side::parse);
named!(stance, Stance, Stance::parse);
named!(standing, Standing, Standing::parse);
named!(health, Health, Health::parse);
named!(layer, Layer, |name| Layer::ALL
    .into_iter()
    .find(|layer| layer.as_str() == name));
optional!(optional_instant, Timestamp, "instant");
optional!(subscription, Subscription, "SubscriptionForm");
optional!(authentication, PushAuthentication, "PushAuthenticationForm");
listed!(contents, Content, "content");
listed!(reasons, Reason, "ReasonForm");
listed!(skills, Skill, "SkillForm");
listed!(methods, AuthenticationMethod, "MethodForm");
listed!(needs, Need, "NeedForm");
listed!(candidates, Candidate, "CandidateForm");

/// Absent from the form: `parent` is a column of its own.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Conditions")]
pub(crate) struct ConditionsForm {
    #[serde(skip)]
    parent: Option<TaskId>,
    #[serde(with = "optional_instant")]
    deadline: Option<Timestamp>,
    answer_within_ms: Option<i64>,
    fulfillment_demanded: bool,
    round_limit: u32,
    #[serde(with = "subscription")]
    subscription: Option<Subscription>,
    data: Option<String>,
    context: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conversation: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Subscription")]
struct SubscriptionForm {
    protocol: String,
    method: String,
    url: String,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Reason")]
struct ReasonForm {
    reason: String,
    path: String,
    message: String,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Turn")]
pub(crate) struct TurnForm {
    round: u32,
    #[serde(with = "side")]
    by: Side,
    #[serde(with = "SpeechForm")]
    speech: Speech,
    #[serde(with = "instant")]
    at: Timestamp,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Speech")]
struct SpeechForm {
    #[serde(with = "stance")]
    stance: Stance,
    #[serde(with = "contents")]
    contents: Vec<Content>,
    #[serde(with = "reasons")]
    reasons: Vec<Reason>,
    alternative: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Registration")]
pub(crate) struct RegistrationForm {
    #[serde(with = "profile")]
    profile: Arc<Profile>,
    #[serde(with = "ReachForm")]
    reach: Reach,
    #[serde(with = "instant")]
    registered_at: Timestamp,
    #[serde(with = "instant")]
    renewed_at: Timestamp,
    lease_ms: Option<i64>,
    #[serde(with = "health")]
    health: Health,
    health_note: String,
    expired: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Reach", rename_all = "kebab-case")]
enum ReachForm {
    Hosted,
    Client,
    Server {
        address: String,
        host_key: String,
    },
    A2a {
        card_url: String,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        signed: bool,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Profile")]
struct ProfileForm {
    name: String,
    alias: Option<String>,
    description: String,
    agent_type: Option<String>,
    version: String,
    provider: String,
    domain: Option<String>,
    management_object: Option<String>,
    #[serde(with = "layer")]
    layer: Layer,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    province: Option<String>,
    #[serde(with = "CapabilityForm")]
    capability: Capability,
    #[serde(with = "skills")]
    skills: Vec<Skill>,
    #[serde(with = "methods")]
    authentication: Vec<AuthenticationMethod>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Capability")]
struct CapabilityForm {
    streaming: bool,
    push_notifications: bool,
    negotiate: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Skill")]
struct SkillForm {
    name: String,
    description: String,
    tags: Vec<String>,
    input_modes: Vec<String>,
    output_modes: Vec<String>,
    examples: Vec<String>,
    schemas: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "AuthenticationMethod")]
struct MethodForm {
    id: String,
    scheme: String,
    jwt_info: Option<String>,
    oauth: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Team")]
pub(crate) struct TeamForm {
    #[serde(with = "task_id")]
    task: TaskId,
    publisher: String,
    #[serde(with = "needs")]
    needs: Vec<Need>,
    #[serde(with = "candidates")]
    candidates: Vec<Candidate>,
    #[serde(with = "instant")]
    formed_at: Timestamp,
    #[serde(with = "instant")]
    changed_at: Timestamp,
    version: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Need")]
struct NeedForm {
    name: String,
    #[serde(with = "CriteriaForm")]
    criteria: Criteria,
    #[serde(with = "content")]
    content: Content,
    optional: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Criteria")]
struct CriteriaForm {
    skill: Option<String>,
    tags: Vec<String>,
    input_mode: Option<String>,
    output_mode: Option<String>,
    domain: Option<String>,
    management_object: Option<String>,
    schema: Option<String>,
    text: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Candidate")]
struct CandidateForm {
    need: String,
    agent: String,
    score: u32,
    #[serde(with = "standing")]
    standing: Standing,
    #[serde(with = "reasons")]
    reasons: Vec<Reason>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "PushConfig")]
struct PushConfigForm {
    #[serde(with = "task_id")]
    task: TaskId,
    owner: String,
    id: String,
    url: String,
    token: Option<String>,
    #[serde(with = "authentication")]
    authentication: Option<PushAuthentication>,
    version: String,
    since: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "PushAuthentication")]
struct PushAuthenticationForm {
    scheme: String,
    credentials: Option<String>,
}

/// Defines the functions to and from JSON for a form.
macro_rules! whole {
    ($to:ident, $from:ident, $type:ty, $form:literal) => {
        pub(crate) fn $to(value: &$type) -> String {
            #[derive(Serialize)]
            #[serde(transparent)]
            struct Whole<'a>(#[serde(with = $form)] &'a $type);
            super::content::json(&Whole(value))
        }

        /// The value; none if the JSON does not have the form.
        pub(crate) fn $from(json: &str) -> Option<$type> {
            #[derive(Deserialize)]
            #[serde(transparent)]
            struct Whole(#[serde(with = $form)] $type);
            serde_json::from_str(json).ok().map(|whole: Whole| whole.0)
        }
    };
}

listed!(turns, Turn, "TurnForm");
whole!(
    conditions_to_json,
    conditions_from_json,
    Conditions,
    "ConditionsForm"
);
whole!(turns_to_json, turns_from_json, Vec<Turn>, "turns");
whole!(
    registration_to_json,
    registration_from_json,
    Registration,
    "RegistrationForm"
);
whole!(team_to_json, team_from_json, Team, "TeamForm");
whole!(
    push_config_to_json,
    push_config_from_json,
    PushConfig,
    "PushConfigForm"
);
optional!(optional_turn, Turn, "TurnForm");
