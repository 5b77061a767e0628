//! `access.toml`: the access rules, in the terms of NACM (RFC 8341).
//!
//! Written with the shipped grants at the first start, read at every start and whenever it changes. The
//! rules themselves are `domain::access`'s. Read next: [`crate::host`], [`crate::revocation`].

use crate::file::FileError;
use crate::http::certificate::CertificateRow;
use domain::access::{AccessOperation, AccessRules, Action, Rule, RuleList, RuleTarget};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The access rules written at the first start.
pub const SHIPPED: &str = include_str!("access/shipped.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Document {
    #[serde(default = "yes")]
    enable_nacm: bool,
    #[serde(default = "deny")]
    read_default: Word,
    #[serde(default = "deny")]
    write_default: Word,
    #[serde(default = "deny")]
    exec_default: Word,
    #[serde(default)]
    group: Vec<Group>,
    #[serde(default)]
    rule_list: Vec<List>,
    #[serde(default)]
    certificate: Vec<toml::Spanned<CertificateRow>>,
}

fn yes() -> bool {
    true
}

fn deny() -> Word {
    Word::Deny
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Permit,
    Deny,
}

impl From<Word> for Action {
    fn from(word: Word) -> Self {
        match word {
            Word::Permit => Self::Permit,
            Word::Deny => Self::Deny,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Group {
    name: toml::Spanned<String>,
    user_name: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct List {
    name: toml::Spanned<String>,
    group: BTreeSet<String>,
    rule: Vec<RuleTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RuleTable {
    name: toml::Spanned<String>,
    #[serde(default = "star")]
    module_name: String,
    rpc_name: Option<String>,
    notification_name: Option<String>,
    path: Option<String>,
    #[serde(default = "star")]
    access_operations: String,
    action: Word,
}

fn star() -> String {
    "*".to_owned()
}

/// Reads the file in the state folder; writes the shipped one first if there is none.
///
/// # Errors
/// [`FileError`]
pub fn load(path: &Path) -> Result<AccessRules, FileError> {
    if !path.exists() {
        std::fs::write(path, SHIPPED).map_err(|cause| FileError::unreadable(path, cause))?;
    }
    read(path)
}

/// Reads the file in the state folder.
///
/// # Errors
/// [`FileError`], also if it does not exist.
pub fn read(path: &Path) -> Result<AccessRules, FileError> {
    let text = std::fs::read_to_string(path).map_err(|e| FileError::unreadable(path, e))?;
    parse(&path.display().to_string(), &text)
}

/// The table of client certificates in the file of the state folder; empty if there is none.
///
/// # Errors
/// [`FileError`]
pub fn certificates(path: &Path) -> Result<Vec<CertificateRow>, FileError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path).map_err(|e| FileError::unreadable(path, e))?;
    let rows = document(&path.display().to_string(), &text)?.certificate;
    Ok(rows.into_iter().map(toml::Spanned::into_inner).collect())
}

/// Reads the rules; `file` is named in errors.
///
/// # Errors
/// [`FileError::Wrong`] with the line.
pub fn parse(file: &str, text: &str) -> Result<AccessRules, FileError> {
    let wrong = |offset: usize, message: String| FileError::at(file, text, offset, message);
    let document = document(file, text)?;
    let mut groups = BTreeMap::new();
    for Group { name, user_name } in document.group {
        let offset = name.span().start;
        let name = name.into_inner();
        if GIVEN.contains(&&*name) {
            let message = format!("the group '{name}' is there by itself: nobody is put into it");
            return Err(wrong(offset, message));
        }
        if groups.contains_key(&name) {
            let message = format!("the group '{name}' is there twice; put its users together");
            return Err(wrong(offset, message));
        }
        groups.insert(name, user_name);
    }
    let mut lists = Vec::new();
    for list in document.rule_list {
        let offset = list.name.span().start;
        let rules = list
            .rule
            .into_iter()
            .map(|table| {
                let offset = table.name.span().start;
                rule(table).map_err(|message| wrong(offset, message))
            })
            .collect::<Result<_, _>>()?;
        let list = RuleList {
            name: list.name.into_inner(),
            groups: list.group,
            rules,
        };
        let denies = list.rules.iter().any(|rule| rule.action == Action::Deny);
        if let Some(group) = unknown(&list, &groups).next().filter(|_| denies) {
            let message = format!(
                "the list '{}' denies something to the group '{group}', which is not there: whom it \
                 is to keep out would get in",
                list.name
            );
            return Err(wrong(offset, message));
        }
        lists.push(list);
    }
    Ok(AccessRules {
        enabled: document.enable_nacm,
        read_default: document.read_default.into(),
        write_default: document.write_default.into(),
        exec_default: document.exec_default.into(),
        groups,
        lists,
    })
}

/// Groups that exist without being defined.
const GIVEN: [&str; 2] = ["*", "agents"];

/// The groups of a list that do not exist.
fn unknown<'l>(
    list: &'l RuleList,
    groups: &'l BTreeMap<String, BTreeSet<String>>,
) -> impl Iterator<Item = &'l String> {
    let is_there = |group: &str| GIVEN.contains(&group) || groups.contains_key(group);
    list.groups.iter().filter(move |group| !is_there(group))
}

/// Warnings about lists for groups that do not exist, for people. All of these lists permit; one
/// that denies is refused when it is read.
pub fn doubts(rules: &AccessRules) -> Vec<String> {
    let lists = rules.lists.iter();
    let doubts = lists.flat_map(|list| {
        unknown(list, &rules.groups).map(|group| {
            format!(
                "the list '{}' is for the group '{group}', which is not there: it permits nobody anything",
                list.name
            )
        })
    });
    doubts.collect()
}

fn document(file: &str, text: &str) -> Result<Document, FileError> {
    let document: Document =
        toml::from_str(text).map_err(|error| FileError::toml(file, text, &error))?;
    let improper = document
        .certificate
        .iter()
        .find(|row| !row.get_ref().is_proper());
    match improper {
        Some(row) => Err(FileError::at(file, text, row.span().start, ONE_THING)),
        None => Ok(document),
    }
}

/// The requirement on a row of certificates, for error messages.
const ONE_THING: &str =
    "a certificate has one of san-uri, san-dns-name, san-rfc822-name and common-name";

fn rule(table: RuleTable) -> Result<Rule, String> {
    let target = match (table.rpc_name, table.notification_name, table.path) {
        (None, None, None) => RuleTarget::Everything,
        (Some(rpc), None, None) => RuleTarget::Rpc(rpc),
        (None, Some(notification), None) => RuleTarget::Notification(notification),
        (None, None, Some(path)) => RuleTarget::Data(steps(&path)?),
        _ => return Err("a rule has one of rpc-name, notification-name and path".to_owned()),
    };
    Ok(Rule {
        name: table.name.into_inner(),
        module: table.module_name,
        target,
        operations: operations(&table.access_operations)?,
        action: table.action.into(),
    })
}

/// The names along a path such as `/registry/agent/authentication`; prefixes are allowed.
fn steps(path: &str) -> Result<Vec<String>, String> {
    if path.contains('[') {
        return Err(format!(
            "the path '{path}' names single entries, which rules cannot; name the list"
        ));
    }
    let Some(rest) = path.strip_prefix('/') else {
        return Err(format!("the path '{path}' does not begin with '/'"));
    };
    let name = |step: &str| step.rsplit(':').next().unwrap_or(step).to_owned();
    Ok(rest
        .split('/')
        .filter(|step| !step.is_empty())
        .map(name)
        .collect())
}

fn operations(text: &str) -> Result<BTreeSet<AccessOperation>, String> {
    use AccessOperation::{Exec, Read, Write};
    let mut operations = BTreeSet::new();
    for word in text.split_whitespace() {
        match word {
            "*" => operations.extend([Read, Write, Exec]),
            "read" => drop(operations.insert(Read)),
            "exec" => drop(operations.insert(Exec)),
            "create" | "update" | "delete" => drop(operations.insert(Write)),
            other => return Err(format!("'{other}' is no access operation")),
        }
    }
    Ok(operations)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use domain::access::Request;

    #[test]
    fn the_shipped_grants_are_those_promised() {
        let rules = parse("access.toml", SHIPPED).unwrap();
        let (operator, agent, guest) = (
            rules.principal("operator", false),
            rules.principal("ip", true),
            rules.principal("guest", false),
        );
        let exec = |module, rpc, guarded| Request::Exec {
            module,
            rpc,
            guarded,
        };
        let read = |module, path| Request::Read {
            module,
            path,
            guarded: false,
        };
        for who in [&operator, &agent, &guest] {
            for rpc in ["get", "get-config", "lock", "unlock", "close-session"] {
                assert!(
                    rules.permits(who, exec("ietf-netconf", rpc, false)),
                    "{rpc}"
                );
            }
            assert!(rules.permits(who, exec("ietf-netconf-monitoring", "get-schema", false)));
            assert!(rules.permits(who, exec("notifications", "create-subscription", false)));
        }
        assert!(rules.permits(&operator, exec("ietf-netconf", "kill-session", true)));
        assert!(!rules.permits(&agent, exec("ietf-netconf", "kill-session", true)));
        assert!(rules.permits(&agent, exec("irtf-agent", "task-negotiate", false)));
        assert!(!rules.permits(&guest, exec("irtf-agent", "task-negotiate", false)));
        let alarms = read("ietf-alarms", &["alarms", "alarm-list"]);
        assert!(rules.permits(&agent, exec("convoke-ems", "probe", true)));
        assert!(!rules.permits(&guest, exec("convoke-ems", "probe", true)));
        assert!(rules.permits(&agent, alarms) && !rules.permits(&guest, alarms));
        assert!(!rules.permits(&guest, read("convoke-registry", &["registry", "task"])));
        assert!(rules.permits(&agent, read("irtf-agent", &["agent", "name"])));
        let secret = &["agent", "authentication", "authentication-methods", "oauth"];
        assert!(!rules.permits(&operator, read("irtf-agent", secret)));
        assert!(!rules.permits(&agent, read("irtf-agent", secret)));
    }

    /// A list for a group that does not exist is reported; one that denies is refused.
    #[test]
    fn a_group_that_is_not_there_is_told_and_never_keeps_out_nobody() {
        let list = |groups: &str, action: &str| {
            format!(
                "[[group]]\nname = \"noc\"\nuser-name = [\"ann\"]\n\n[[rule-list]]\nname = \"l\"\n\
                 group = [{groups}]\n[[rule-list.rule]]\nname = \"r\"\naction = \"{action}\"\n"
            )
        };
        let rules = |text: &str| parse("a", text);
        for known in ["\"noc\"", "\"*\"", "\"agents\""] {
            for action in ["permit", "deny"] {
                let read = rules(&list(known, action)).unwrap();
                assert_eq!(doubts(&read), [""; 0]);
            }
        }
        let read = rules(&list("\"noc\", \"nocc\"", "permit")).unwrap();
        assert_eq!(
            doubts(&read),
            [
                "the list 'l' is for the group 'nocc', which is not there: it permits nobody anything"
            ]
        );
        let refused = rules(&list("\"nocc\"", "deny")).unwrap_err().to_string();
        assert!(
            refused.starts_with("a:6: the list 'l' denies something to the group 'nocc'"),
            "{refused}"
        );
        let twice = "[[group]]\nname = \"g\"\nuser-name = []\n".repeat(2);
        let refused = rules(&twice).unwrap_err().to_string();
        assert!(
            refused.starts_with("a:5: the group 'g' is there twice"),
            "{refused}"
        );
        assert_eq!(doubts(&rules(SHIPPED).unwrap()), [""; 0]);
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| parse("a", text).unwrap_err().to_string();
        assert!(error("x = 1").starts_with("a:1: unknown field `x`"));
        let text = "[[rule-list]]\nname = \"l\"\ngroup = [\"*\"]\n[[rule-list.rule]]\nname = \"r\"\npath = \"a\"\naction = \"permit\"\n";
        assert_eq!(error(text), "a:5: the path 'a' does not begin with '/'");
        let both = "[[certificate]]\nname = \"n\"\ncommon-name = \"c\"\nsan-uri = \"urn:x\"\n";
        for text in [both, "[[certificate]]\nname = \"n\"\n"] {
            assert!(error(text).starts_with("a:1: a certificate has one of"));
        }
    }
}
