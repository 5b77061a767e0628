//! Profiles from TOML files: every leaf of the draft's profile (§5.1), with errors that name file
//! and line.
//!
//! Three checks, in this order: the form of the file, the rules of `domain::profile`, and the YANG
//! module, through libyang. Read next: [`crate::host`].

use crate::file::FileError;
use crate::post::{NetworkTable, Post};
use crate::roster::{Role, Roster};
use domain::profile::{AuthenticationMethod, Capability, Layer, Profile, Skill};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use yang::Generation;

/// A profile with the role that names the behaviour behind it.
#[derive(Clone, Debug)]
pub struct ProfileFile {
    /// The name of the file, for messages.
    pub file: String,
    /// The profile.
    pub profile: Profile,
    /// The role, one of the [`Roster`].
    pub role: String,
    /// The telemetry that it receives and its rights on the network.
    pub post: Post,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Document {
    name: String,
    alias: Option<String>,
    role: String,
    r#type: Option<String>,
    description: String,
    version: String,
    provider: String,
    domain: Option<String>,
    management_object: Option<String>,
    layer: LayerWord,
    province: Option<String>,
    #[serde(default)]
    capability: CapabilityTable,
    #[serde(default)]
    skill: Vec<SkillTable>,
    #[serde(default)]
    authentication: Vec<AuthenticationTable>,
    #[serde(default)]
    network: NetworkTable,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LayerWord {
    Business,
    Service,
    Resource,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct CapabilityTable {
    #[serde(default)]
    streaming: bool,
    #[serde(default)]
    push_notifications: bool,
    negotiate: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SkillTable {
    name: String,
    description: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    input_modes: Vec<String>,
    #[serde(default)]
    output_modes: Vec<String>,
    #[serde(default)]
    examples: Vec<String>,
    #[serde(default)]
    schemas: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AuthenticationTable {
    #[serde(rename = "accessinfo-id")]
    id: String,
    scheme: String,
    #[serde(rename = "jwtInfo")]
    jwt_info: Option<String>,
    oauth: Option<String>,
}

/// The profiles that ship for the roles of a roster, in its order.
///
/// # Errors
/// [`FileError::Wrong`] if one of them is invalid; a test reads them all.
pub fn shipped(roster: &Roster, schema: &Generation) -> Result<Vec<ProfileFile>, FileError> {
    let file = |role: &Role| format!("profiles/{}.toml", role.name);
    let roles = roster.roles.iter();
    roles
        .map(|role| read(&file(role), role.profile, roster, schema))
        .collect()
}

/// The profiles in a folder: every `*.toml`, in the order of their names.
///
/// # Errors
/// [`FileError`] for the first file that cannot be used.
pub fn in_folder(
    folder: &Path,
    roster: &Roster,
    schema: &Generation,
) -> Result<Vec<ProfileFile>, FileError> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(|cause| FileError::unreadable(folder, cause))?
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path)
                .map_err(|cause| FileError::unreadable(path, cause))?;
            read(&path.display().to_string(), &text, roster, schema)
        })
        .collect()
}

/// Reads one profile; `file` is named in errors.
///
/// # Errors
/// [`FileError::Wrong`] with the line.
pub fn read(
    file: &str,
    text: &str,
    roster: &Roster,
    schema: &Generation,
) -> Result<ProfileFile, FileError> {
    let wrong = |line, message| FileError::Wrong {
        file: file.to_owned(),
        line,
        message,
    };
    let document: Document =
        toml::from_str(text).map_err(|error| FileError::toml(file, text, &error))?;
    if !roster.names().any(|role| role == document.role) {
        let known = roster.known();
        let message = format!(
            "no agent has the role '{}'; known are {known}",
            document.role
        );
        return Err(wrong(line_of(text, "role", &document.role), message));
    }
    let network = document.network.clone();
    let (profile, role) = profile(document);
    profile.check().map_err(|error| {
        use domain::profile::ProfileError as E;
        let line = match &error {
            E::Name(name) => line_of(text, "name", name),
            E::Taken { leaf, called } => line_of(text, leaf, called),
            E::Version(version) => line_of(text, "version", version),
            E::Twice { key, .. } => last_line_with(text, key),
            E::Examples { skill, .. } | E::Example { skill, .. } => line_of(text, "name", skill),
            E::Mode { mode, .. } => line_with(text, &format!("\"{mode}\"")),
            E::Deceptive { leaf, .. } => line_with(text, leaf),
            E::TooLong { .. } => 1,
        };
        wrong(line, error.to_string())
    })?;
    schema
        .check_data(&bindings::netconf::agent_xml(&profile), true)
        .map_err(|violation| {
            let leaf = violation
                .path
                .as_deref()
                .and_then(|p| p.rsplit(['/', ':']).next())
                .unwrap_or("name");
            wrong(line_with(text, leaf), violation.to_string())
        })?;
    Ok(ProfileFile {
        file: file.to_owned(),
        post: Post::new(&network, &profile),
        profile,
        role,
    })
}

fn profile(document: Document) -> (Profile, String) {
    let skill = |s: SkillTable| Skill {
        name: s.name,
        description: s.description,
        tags: s.tags,
        input_modes: s.input_modes,
        output_modes: s.output_modes,
        examples: s.examples,
        schemas: s.schemas,
    };
    let method = |m: AuthenticationTable| AuthenticationMethod {
        id: m.id,
        scheme: m.scheme,
        jwt_info: m.jwt_info,
        oauth: m.oauth,
    };
    let profile = Profile {
        name: document.name,
        alias: document.alias,
        description: document.description,
        agent_type: document.r#type,
        version: document.version,
        provider: document.provider,
        domain: document.domain,
        management_object: document.management_object,
        layer: match document.layer {
            LayerWord::Business => Layer::Business,
            LayerWord::Service => Layer::Service,
            LayerWord::Resource => Layer::Resource,
        },
        province: document.province,
        capability: Capability {
            streaming: document.capability.streaming,
            push_notifications: document.capability.push_notifications,
            negotiate: document.capability.negotiate,
        },
        skills: document.skill.into_iter().map(skill).collect(),
        authentication: document.authentication.into_iter().map(method).collect(),
    };
    (profile, document.role)
}

/// The number of the line `key = … value …`; 1 if there is none.
fn line_of(text: &str, key: &str, value: &str) -> usize {
    let fits = |line: &str| {
        line.split_once('=')
            .is_some_and(|(k, v)| k.trim() == key && v.contains(value))
    };
    text.lines().position(fits).map_or(1, |at| at + 1)
}

fn line_with(text: &str, word: &str) -> usize {
    text.lines()
        .position(|line| line.contains(word))
        .map_or(1, |at| at + 1)
}

fn last_line_with(text: &str, word: &str) -> usize {
    let quoted = format!("\"{word}\"");
    let found = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.contains(&quoted))
        .last();
    found.map_or(1, |(at, _)| at + 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use yang::ModuleSet;

    const GOOD: &str = "name = \"A-B-C-1\"\nrole = \"ip-fault\"\ndescription = \"d\"\n\
        version = \"1.0.0\"\nprovider = \"p\"\nlayer = \"resource\"\n";

    fn error(text: &str) -> String {
        let schema = yang::Generation::load(&ModuleSet::convoke()).unwrap();
        let silent = Role {
            name: "ip-fault",
            profile: "",
            make: Box::new(|| unreachable!("nobody is made")),
        };
        let roster = Roster {
            roles: vec![silent],
            default: None,
        };
        let read = read("p.toml", text, &roster, &schema);
        read.unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_line() {
        assert!(
            error(&GOOD.replace("1.0.0", "one")).starts_with("p.toml:4: 'one' is not a semantic")
        );
        assert!(
            error(&GOOD.replace("ip-fault", "cook")).starts_with("p.toml:2: no agent has the role")
        );
        assert!(
            error(&GOOD.replace("provider", "povider"))
                .starts_with("p.toml:5: unknown field `povider`")
        );
        assert!(error(&GOOD.replace("A-B-C-1", "a/b")).starts_with("p.toml:1: the name 'a/b'"));
        let mode = format!(
            "{GOOD}[[skill]]\nname = \"s\"\ndescription = \"d\"\ninput-modes = [\"smell\"]\n"
        );
        assert!(error(&mode).starts_with("p.toml:10: skill 's' has mode 'smell'"));
        let examples = mode.replace("input-modes = [\"smell\"]", "examples = [\"\"]");
        assert!(error(&examples).starts_with("p.toml:8: skill 's' has an example of 0 bytes"));
    }
}
