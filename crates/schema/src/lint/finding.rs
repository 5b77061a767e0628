//! One finding: where, how bad, which rule, what.

use std::fmt;
use strum::IntoStaticStr;

/// The origin of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TemplateOrigin {
    /// Ours: strict.
    Own,
    /// A peer's: what can be worked around is.
    Peer,
}

/// The weight of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LintSeverity {
    /// Read and used all the same.
    Warning,
    /// Not used.
    Error,
}

/// One thing wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFinding {
    /// The place, as an RFC 6901 pointer into what was read: `/keys/2/minimum`; empty: the whole.
    pub path: String,
    /// Its weight.
    pub severity: LintSeverity,
    /// The rule it breaks.
    pub rule: LintRule,
    /// The fault, for people.
    pub message: String,
}

impl fmt::Display for LintFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            LintSeverity::Warning => "warning",
            LintSeverity::Error => "error",
        };
        let path = if self.path.is_empty() {
            "/"
        } else {
            &self.path
        };
        write!(
            f,
            "{path}: {severity}: {} [{}]",
            self.message,
            self.rule.as_str()
        )
    }
}

/// The rules, by what they watch over.
#[derive(IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LintRule {
    /// The text is not JSON.
    Json,
    /// A member stands twice in one object (RFC 8259 §4): two readers would see two templates.
    DuplicateMember,
    /// Too large, too many keys, nested too deep, a description too long.
    Limit,
    /// A member that the draft demands is not there (§4.1).
    Missing,
    /// A member of the draft has a type that is not its own (§4.1).
    Mistyped,
    /// A member beside the draft's cannot be used.
    Malformed,
    /// A member that nobody knows; often a slip of the pen.
    UnknownMember,
    /// `key_type` is no type.
    KeyType,
    /// Not a language tag.
    Language,
    /// `schema_id` is not `{scenario}_v{N}`.
    SchemaId,
    /// `scenario` is not in canonical form, or not that of the `schema_id`.
    Scenario,
    /// `response_schema_id` cannot name a template.
    ResponseSchema,
    /// `key_name` is not snake_case, too long, or cannot be an element of XML.
    KeyName,
    /// Two keys of one name.
    DuplicateKey,
    /// The name means something else.
    Reserved,
    /// The key `other` is not as §4.3 wants it.
    Other,
    /// `default_value` is not a value of the key.
    Default,
    /// `default_value` on a required key, which never applies.
    DefaultOnRequired,
    /// A member that says nothing of the type.
    Misfit,
    /// `minimum` above `maximum`, or a bound that nothing can meet.
    Bounds,
    /// `enum` empty, with duplicates, or with values that are none of the key.
    Enum,
    /// `pattern` is not an I-Regexp (RFC 9485), or begins with `^` or ends with `$`, which are
    /// ordinary characters there.
    Pattern,
    /// A number that other programs read as another number, or that YANG cannot hold.
    Number,
    /// No description, or none in the template's language.
    Undescribed,
    /// No description in a language that other keys have one in.
    Untranslated,
    /// Characters that show text as what it is not.
    Control,
    /// A mapping example whose value is none of the key.
    Example,
    /// The name suggests payment, identity or access, and the key is not flagged.
    Sensitive,
    /// A patch requires a key, or changes more than descriptions (§6.2.2).
    Patch,
}

impl LintRule {
    /// The name, as told to people and programs.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The weight of breaking it for an audience; none if it is no matter there.
    pub fn severity(self, audience: TemplateOrigin) -> Option<LintSeverity> {
        use LintSeverity::{Error, Warning};
        let (own, peer) = match self {
            Self::Json
            | Self::DuplicateMember
            | Self::Limit
            | Self::Missing
            | Self::Mistyped
            | Self::DuplicateKey
            | Self::Patch => (Error, Some(Error)),
            Self::Malformed
            | Self::KeyType
            | Self::Language
            | Self::SchemaId
            | Self::Scenario
            | Self::ResponseSchema
            | Self::KeyName
            | Self::Reserved
            | Self::Other
            | Self::Default
            | Self::Misfit
            | Self::Bounds
            | Self::Enum
            | Self::Pattern
            | Self::Number
            | Self::Undescribed
            | Self::Control => (Error, Some(Warning)),
            Self::DefaultOnRequired | Self::Example => (Warning, Some(Warning)),
            Self::UnknownMember | Self::Untranslated | Self::Sensitive => (Warning, None),
        };
        match audience {
            TemplateOrigin::Own => Some(own),
            TemplateOrigin::Peer => peer,
        }
    }
}
