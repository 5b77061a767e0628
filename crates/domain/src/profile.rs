//! The profile of an agent: its identity, skills and capabilities (draft §5.1).
//!
//! Files are not known here: `server` reads profiles from TOML. Read next: [`crate::agent`].

use language::excerpt::excerpt;
use serde::{Deserialize, Serialize};
use std::fmt;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The layer of the architecture that an agent works in (draft §3).
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// Billing, sales, complaints intake.
    Business,
    /// Services across domains.
    Service,
    /// One autonomous domain.
    Resource,
}

crate::named! {
    /// The name of the layer.
    Layer
}

/// One skill of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skill {
    /// `skill-name`, unique in the profile.
    pub name: String,
    /// `skill-description`.
    pub description: String,
    /// `skill-tags`.
    pub tags: Vec<String>,
    /// `input-modes`: image, text, audio, video.
    pub input_modes: Vec<String>,
    /// `output-modes`: likewise.
    pub output_modes: Vec<String>,
    /// Examples, named by the draft's text but not by its module; served in the registry. At most
    /// [`Skill::EXAMPLES_MOST`], each of 1 to [`Skill::EXAMPLE_BYTES_MOST`] bytes.
    pub examples: Vec<String>,
    /// The structured payloads that the skill takes, e.g. `fault_diagnosis_v1`.
    pub schemas: Vec<String>,
}

impl Skill {
    /// The most examples of one skill.
    pub const EXAMPLES_MOST: usize = 64;
    /// The longest example, in bytes.
    pub const EXAMPLE_BYTES_MOST: usize = 512;

    /// True of the texts that can be an example of a skill.
    pub fn is_example(text: &str) -> bool {
        (1..=Self::EXAMPLE_BYTES_MOST).contains(&text.len())
    }

    /// Checks the number of its examples, and their length.
    fn check_examples(&self) -> Result<(), ProfileError> {
        let skill = || self.name.clone();
        let count = self.examples.len();
        if count > Self::EXAMPLES_MOST {
            let skill = skill();
            return Err(ProfileError::Examples { skill, count });
        }
        match self.examples.iter().find(|it| !Self::is_example(it)) {
            Some(example) => Err(ProfileError::Example {
                skill: skill(),
                bytes: example.len(),
            }),
            None => Ok(()),
        }
    }
}

/// One way to authenticate with an agent. Holds parameters, never secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthenticationMethod {
    /// `accessinfo-id`, unique in the profile.
    pub id: String,
    /// `scheme`: SSH public key, JWT, OAuth 2.0, API key, …
    pub scheme: String,
    /// `jwtInfo`.
    pub jwt_info: Option<String>,
    /// `oauth`.
    pub oauth: Option<String>,
}

/// The capabilities of an agent: negotiation, streaming, notifications.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capability {
    /// `streaming`.
    pub streaming: bool,
    /// `push-notifications`.
    pub push_notifications: bool,
    /// `negotiate`, e.g. `acp-task-feasibility-negotiation-v1.0`; several are comma-separated.
    pub negotiate: Option<String>,
}

impl Capability {
    /// True if it declares that it negotiates whether it can do a task (draft §5.1, §5.3).
    pub fn negotiates_feasibility(&self) -> bool {
        self.declares("acp-task-feasibility-negotiation")
    }

    /// True if it declares that it negotiates how it fulfils a task (draft §5.1, §5.3).
    pub fn negotiates_fulfillment(&self) -> bool {
        self.declares("acp-task-fulfillment-negotiation")
    }

    /// Whatever the version.
    fn declares(&self, what: &str) -> bool {
        self.negotiate
            .as_deref()
            .is_some_and(|all| all.contains(what))
    }
}

/// The profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// `name`: unique on the platform; also the agent's SSH user name.
    pub name: String,
    /// `alias`: short, for people and the command line.
    pub alias: Option<String>,
    /// `description`.
    pub description: String,
    /// `type`.
    pub agent_type: Option<String>,
    /// `version`: semantic version 2.0.
    pub version: String,
    /// `provider`.
    pub provider: String,
    /// `domain`: one or more of Wireless, Optical, IP, Core Network, Transmit; comma-separated.
    pub domain: Option<String>,
    /// `management-object`: the part of the network it manages.
    pub management_object: Option<String>,
    /// The layer it works in.
    pub layer: Layer,
    /// The province whose network it answers for, as [`crate::inventory::Inventory::provinces`]
    /// names it; none if it is not bound to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub province: Option<String>,
    /// `capability`.
    pub capability: Capability,
    /// `skills`.
    pub skills: Vec<Skill>,
    /// `authentication`.
    pub authentication: Vec<AuthenticationMethod>,
}

/// Something about a profile that is allowed but not recommended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice(pub String);

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The error for a profile that cannot be used. The place within the file is added by the reader of
/// the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// The name cannot be an SSH user and a key file.
    #[error(
        "the name '{}' is not usable: 1 to 64 of letters, digits, '-', '_' and '.', not beginning with '.' or '-'",
        excerpt(.0)
    )]
    Name(String),
    /// Two agents share a name or an alias.
    #[error("the name or alias '{called}' is taken by another agent")]
    Taken {
        /// The leaf that says it: `name` or `alias`.
        leaf: &'static str,
        /// What it says.
        called: String,
    },
    /// A key of a list occurs twice.
    #[error("{list} '{}' occurs twice", excerpt(key))]
    Twice {
        /// The list.
        list: &'static str,
        /// The key.
        key: String,
    },
    /// A mode that the draft does not know.
    #[error(
        "skill '{}' has mode '{}'; known are image, text, audio, video",
        excerpt(skill),
        excerpt(mode)
    )]
    Mode {
        /// The skill.
        skill: String,
        /// The mode.
        mode: String,
    },
    /// The version is not a semantic version.
    #[error("'{}' is not a semantic version such as 1.0.0", excerpt(.0))]
    Version(String),
    /// A text holds a deceptive character, see [`is_deceptive`].
    #[error("{leaf} holds {}, which would make a row show what it does not say", c.escape_unicode())]
    Deceptive {
        /// The leaf, as the module names it.
        leaf: &'static str,
        /// The character.
        c: char,
    },
    /// A skill with more examples than are read for it.
    #[error(
        "skill '{}' has {count} examples; at most {most}",
        excerpt(skill),
        most = Skill::EXAMPLES_MOST
    )]
    Examples {
        /// The skill.
        skill: String,
        /// Their number.
        count: usize,
    },
    /// An example that says nothing, or more than anybody asks at once.
    #[error(
        "skill '{}' has an example of {bytes} bytes; 1 to {most}",
        excerpt(skill),
        most = Skill::EXAMPLE_BYTES_MOST
    )]
    Example {
        /// The skill.
        skill: String,
        /// The length of the example.
        bytes: usize,
    },
    /// The profile is longer than a platform of ten thousand agents can hold in memory.
    #[error(
        "the profile holds {bytes} bytes of text, with {each} for each text; at most {most}",
        each = Profile::TEXT_BYTES,
        most = Profile::BYTES_MOST
    )]
    TooLong {
        /// Its length.
        bytes: usize,
    },
}

/// True if `name` can name an agent or a user: 1 to 64 of letters, digits, '-', '_' and '.', not
/// beginning with '.' or '-'.
pub fn usable_name(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    (1..=64).contains(&name.len()) && name.bytes().all(fits) && !name.starts_with(['.', '-'])
}

/// True for characters that are invisible or change the look of others: controls (C0, DEL, C1),
/// marks that set the direction of text (UAX #9 §2), line and paragraph separators, zero-width
/// characters, fillers and the blank of Braille, and tag characters. Joining characters are not
/// included: see [`is_joining`].
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        // Soft hyphen, fillers of Hangul, vowels that are not shown, the blank of Braille.
        || matches!(c, '\u{ad}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
        || matches!(c, '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{2800}')
        || matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}')
        || matches!(c, '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e00ff}')
        || matches!(c, '\u{e01f0}'..='\u{e0fff}')
}

/// True for invisible characters that change how their neighbours are drawn: joiners and variation
/// selectors. They are allowed in text, and not in a key.
pub fn is_joining(c: char) -> bool {
    matches!(
        c,
        '\u{34f}' | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{200c}' | '\u{200d}'
    ) || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

impl Profile {
    /// The most text in a profile, all its leaves together, as [`Profile::bytes`] counts it.
    pub const BYTES_MOST: usize = 64 * 1_024;
    /// The bytes that each text counts besides its own: what it takes in memory, if it is empty.
    pub const TEXT_BYTES: usize = 24;

    /// The schemas that any skill takes.
    pub fn schemas(&self) -> impl Iterator<Item = &str> {
        self.skills
            .iter()
            .flat_map(|s| s.schemas.iter().map(String::as_str))
    }

    /// True if a skill takes a template of the scenario, of whatever version.
    pub fn takes(&self, scenario: &str) -> bool {
        let mut scenarios = self.schemas().filter_map(|id| id.rsplit_once("_v"));
        scenarios.any(|(name, _)| name == scenario)
    }

    /// The size of its texts in bytes, each with [`Profile::TEXT_BYTES`] for itself.
    pub fn bytes(&self) -> usize {
        self.texts().map(|text| text.len() + Self::TEXT_BYTES).sum()
    }

    /// Checks what the YANG module cannot, names, keys, modes, version and total length; and the examples of
    /// skills, since not every profile comes by way of it.
    ///
    /// # Errors
    /// The first [`ProfileError`] found.
    pub fn check(&self) -> Result<(), ProfileError> {
        if !usable_name(&self.name) {
            return Err(ProfileError::Name(self.name.clone()));
        }
        if !semantic_version(&self.version) {
            return Err(ProfileError::Version(self.version.clone()));
        }
        self.check_texts()?;
        let bytes = self.bytes();
        if bytes > Self::BYTES_MOST {
            return Err(ProfileError::TooLong { bytes });
        }
        once("skill", self.skills.iter().map(|s| s.name.as_str()))?;
        once(
            "authentication method",
            self.authentication.iter().map(|m| m.id.as_str()),
        )?;
        for skill in &self.skills {
            skill.check_examples()?;
            for mode in skill.input_modes.iter().chain(&skill.output_modes) {
                if !matches!(mode.as_str(), "image" | "text" | "audio" | "video") {
                    return Err(ProfileError::Mode {
                        skill: skill.name.clone(),
                        mode: mode.clone(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Refuses deceptive characters. Texts for people may hold line breaks and tabs.
    fn check_texts(&self) -> Result<(), ProfileError> {
        let lines = |c: &char| is_deceptive(*c) && !matches!(c, '\n' | '\r' | '\t');
        let words = self.skills.iter().flat_map(|s| {
            let words = [&s.description].into_iter().chain(&s.examples);
            words.map(|text| ("skills", text))
        });
        let words = words.chain([("description", &self.description)]);
        let mut words = words;
        if let Some((leaf, c)) =
            words.find_map(|(leaf, text)| Some((leaf, text.chars().find(lines)?)))
        {
            return Err(ProfileError::Deceptive { leaf, c });
        }
        let optional = [
            ("alias", &self.alias),
            ("type", &self.agent_type),
            ("domain", &self.domain),
            ("management-object", &self.management_object),
            ("capability", &self.capability.negotiate),
        ];
        let optional = optional
            .into_iter()
            .filter_map(|(l, t)| Some((l, t.as_ref()?)));
        let skills = self.skills.iter().flat_map(|s| {
            let lists = [&s.tags, &s.input_modes, &s.output_modes, &s.schemas];
            let names = [&s.name].into_iter().chain(lists.into_iter().flatten());
            names.map(|text| ("skills", text))
        });
        let methods = self.authentication.iter().flat_map(|m| {
            let names = [&m.id, &m.scheme].into_iter().chain(&m.jwt_info);
            names.chain(&m.oauth).map(|text| ("authentication", text))
        });
        let single = [("provider", &self.provider), ("version", &self.version)];
        let mut names = single
            .into_iter()
            .chain(optional)
            .chain(skills)
            .chain(methods);
        match names.find_map(|(leaf, text)| Some((leaf, text.chars().find(|c| is_deceptive(*c))?)))
        {
            Some((leaf, c)) => Err(ProfileError::Deceptive { leaf, c }),
            None => Ok(()),
        }
    }

    /// Every text in it.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let single = [&self.name, &self.description, &self.version, &self.provider];
        let optional = [
            &self.alias,
            &self.agent_type,
            &self.domain,
            &self.management_object,
            &self.capability.negotiate,
        ];
        let skills = self.skills.iter().flat_map(|s| {
            let lists = [
                &s.tags,
                &s.input_modes,
                &s.output_modes,
                &s.examples,
                &s.schemas,
            ];
            let lists = lists.into_iter().flatten();
            [&s.name, &s.description].into_iter().chain(lists)
        });
        let methods = self.authentication.iter().flat_map(|m| {
            let optional = [&m.jwt_info, &m.oauth].into_iter().flatten();
            [&m.id, &m.scheme].into_iter().chain(optional)
        });
        let single = single.into_iter().chain(optional.into_iter().flatten());
        single.chain(skills).chain(methods).map(String::as_str)
    }

    /// The recommendations of the draft that this profile does not follow.
    pub fn advice(&self) -> Vec<Advice> {
        let parts: Vec<&str> = self.name.split('-').collect();
        let recommended = parts.len() == 4 && parts.iter().all(|p| !p.is_empty());
        let mut advice = Vec::new();
        if !recommended {
            advice.push(Advice(format!(
                "the name '{}' is not of the recommended form \
                 {{Standard Organization}}-{{Provider}}-{{Transmit}}-{{Version Number}}",
                self.name
            )));
        }
        advice
    }
}

fn once<'a>(list: &'static str, keys: impl Iterator<Item = &'a str>) -> Result<(), ProfileError> {
    let mut seen = std::collections::BTreeSet::new();
    for key in keys {
        if !seen.insert(key) {
            return Err(ProfileError::Twice {
                list,
                key: key.to_owned(),
            });
        }
    }
    Ok(())
}

fn semantic_version(text: &str) -> bool {
    let core = text.split(['-', '+']).next().unwrap_or("");
    let numbers: Vec<&str> = core.split('.').collect();
    let number = |n: &&str| {
        !n.is_empty()
            && n.bytes().all(|b| b.is_ascii_digit())
            && (n.len() == 1 || !n.starts_with('0'))
    };
    numbers.len() == 3 && numbers.iter().all(number)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
