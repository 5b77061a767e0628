//! An agent elsewhere as its card has it: who it is, what it takes, and where it is spoken to.
//!
//! Says precisely which member of a card cannot be used. Refuses to know how the card was had, and who
//! vouches for it. Read next: `a2a::card::profile`, the other way.

use super::interface::PeerInterface;
use a2a::card::{AgentSkill, Card, SecurityKind};
use a2a::intent::SkillExtension;
use a2a::media::MediaType;
use a2a::telecom::extension::{Family, TelecomExtension};
use a2a::{intent, objects};
use domain::profile::{self, Capability, Profile, usable_name};
use engine::IntroduceAgent;
use std::collections::BTreeSet;

/// The reason for which a card cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{member}: {why}")]
pub struct UnusableCard {
    /// The member of the card.
    pub member: String,
    /// The reason.
    pub why: String,
}

/// An agent elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteAgent {
    /// Its card.
    pub card: Card,
    /// Its interface.
    pub interface: PeerInterface,
    /// The schemas that it takes as typed input (002 §1).
    pub(super) inputs: BTreeSet<String>,
    /// The skills to which messages can be routed by intents (004).
    pub(super) intents: Vec<SkillExtension>,
}

/// The modes that a profile knows.
const MODES: [&str; 4] = ["image", "text", "audio", "video"];

/// The longest name that an agent can have, in bytes.
const NAME_MOST: usize = 64;

impl RemoteAgent {
    /// The agent of a card.
    ///
    /// # Errors
    /// [`UnusableCard`]: it is spoken to nowhere that is known here, wants an extension or a way to
    /// authenticate that is not, or declares intents wrongly.
    pub fn of(card: Card) -> Result<Self, UnusableCard> {
        let interface = PeerInterface::of(&card).ok_or_else(|| {
            let why = "no place where 1.0 or 0.3 is spoken over JSONRPC or HTTP+JSON";
            unusable("supportedInterfaces", why)
        })?;
        if let Some(foreign) = card
            .extensions
            .iter()
            .find(|it| it.required && !is_known(&it.uri))
        {
            let why = format!(
                "the extension '{}' is required, and not known here",
                foreign.uri
            );
            return Err(unusable("capabilities.extensions", why));
        }
        if !card.security.is_empty() && !card.security.iter().any(|it| is_met(&card, it.keys())) {
            return Err(unusable(
                "securityRequirements",
                "none can be met by a bearer token",
            ));
        }
        let intents = intent::declared(&card);
        let intents = intents.map_err(|wrong| unusable("capabilities.extensions", wrong))?;
        Ok(Self {
            inputs: objects::inputs(&card),
            intents,
            interface,
            card,
        })
    }

    /// Its profile on this platform: what the card says, and what is said of it here.
    ///
    /// # Errors
    /// [`UnusableCard`] if the card's version is none, or nobody could be called like it.
    pub fn profile(&self, said: &IntroduceAgent) -> Result<Profile, UnusableCard> {
        let card = &self.card;
        let provider = card.provider.as_ref().map(|it| it.organization.clone());
        Ok(Profile {
            name: match &said.name {
                Some(name) => name.clone(),
                None => name_of(&card.name)?,
            },
            alias: said.alias.clone(),
            description: card.description.clone(),
            agent_type: said.agent_type.clone(),
            version: semantic(&card.version)?,
            provider: provider.unwrap_or_else(|| "unknown".to_owned()),
            domain: said.domain.clone(),
            management_object: said.management_object.clone(),
            layer: said.layer,
            province: said.province.clone(),
            capability: Capability {
                streaming: self.streams(),
                push_notifications: card.capabilities.push_notifications.unwrap_or(false),
                negotiate: None,
            },
            skills: card.skills.iter().map(|it| self.skill(it)).collect(),
            authentication: Vec::new(),
        })
    }

    /// True if what happens to a task can be followed on a stream.
    pub fn streams(&self) -> bool {
        self.card.capabilities.streaming.unwrap_or(false)
    }

    /// True if it understands prompts of A2A-T.
    pub(super) fn speaks_telecom(&self) -> bool {
        let mut all = self.card.extensions.iter();
        all.any(|it| TelecomExtension::parse(&it.uri).is_some_and(|it| it.family == Family::Task))
    }

    /// The extensions that it knows and requests here make use of.
    pub fn extensions(&self) -> Vec<String> {
        let known = self.card.extensions.iter().map(|it| it.uri.clone());
        known.filter(|uri| is_known(uri)).collect()
    }

    fn skill(&self, of: &AgentSkill) -> profile::Skill {
        let (schemas, examples) = (self.inputs.iter(), of.examples.iter());
        let (inputs, outputs) = match of.input_modes.is_empty() && of.output_modes.is_empty() {
            true => (
                &self.card.default_input_modes,
                &self.card.default_output_modes,
            ),
            false => (&of.input_modes, &of.output_modes),
        };
        profile::Skill {
            name: of.id.clone(),
            description: of.description.clone(),
            tags: of.tags.clone(),
            input_modes: modes(inputs),
            output_modes: modes(outputs),
            // Those that a profile can hold: a card may have others, and is not refused for them.
            examples: examples
                .filter(|it| profile::Skill::is_example(it))
                .take(profile::Skill::EXAMPLES_MOST)
                .cloned()
                .collect(),
            schemas: schemas
                .filter(|it| objects::takes(of, it))
                .cloned()
                .collect(),
        }
    }
}

/// True of the extensions that are spoken here.
fn is_known(uri: &str) -> bool {
    [objects::URI, intent::URI].contains(&uri) || TelecomExtension::parse(uri).is_some()
}

/// True if a bearer token is all that these ways to authenticate need.
fn is_met<'a>(card: &Card, mut schemes: impl Iterator<Item = &'a String>) -> bool {
    schemes.all(|name| {
        let scheme = card.security_schemes.get(name);
        scheme.is_some_and(|it| match &it.kind {
            SecurityKind::Http { scheme, .. } => scheme.eq_ignore_ascii_case("bearer"),
            SecurityKind::OAuth2 { .. } | SecurityKind::OpenIdConnect { .. } => true,
            SecurityKind::ApiKey { .. } | SecurityKind::MutualTls => false,
        })
    })
}

/// The modes of a profile that media types come to.
fn modes(media: &[String]) -> Vec<String> {
    let kinds: Vec<String> = media.iter().filter_map(|it| kind_of(it)).collect();
    let told = MODES
        .iter()
        .filter(|mode| kinds.iter().any(|it| it == *mode));
    told.map(|mode| (*mode).to_owned()).collect()
}

/// JSON is text to a profile.
fn kind_of(media: &str) -> Option<String> {
    let media = MediaType::parse(media)?;
    let kind = media.essence().split('/').next()?;
    Some(if kind == "application" { "text" } else { kind }.to_owned())
}

/// The name here of an agent whose card calls it anything: letters, digits, `-`, `_` and `.`.
fn name_of(name: &str) -> Result<String, UnusableCard> {
    let usable = |c: char| match c.is_ascii_alphanumeric() || "-_.".contains(c) {
        true => c,
        false => '-',
    };
    let name: String = name.trim().chars().map(usable).take(NAME_MOST).collect();
    let name = name.trim_matches(['-', '.']);
    match usable_name(name) {
        true => Ok(name.to_owned()),
        false => Err(unusable(
            "name",
            "no agent here can be called so: say how it is called",
        )),
    }
}

/// A version of three numbers; cards often leave the last ones out.
fn semantic(version: &str) -> Result<String, UnusableCard> {
    let numbers: Vec<&str> = version.trim().trim_start_matches('v').split('.').collect();
    let is_number = |it: &&str| !it.is_empty() && it.bytes().all(|b| b.is_ascii_digit());
    match numbers.as_slice() {
        [major] if is_number(major) => Ok(format!("{major}.0.0")),
        [major, minor] if is_number(major) && is_number(minor) => Ok(format!("{major}.{minor}.0")),
        [_, _, _, ..] => Ok(numbers.join(".")),
        _ => Err(unusable(
            "version",
            format!("'{version}' is no version such as 1.0.0"),
        )),
    }
}

fn unusable(member: &str, why: impl ToString) -> UnusableCard {
    UnusableCard {
        member: member.to_owned(),
        why: why.to_string(),
    }
}
