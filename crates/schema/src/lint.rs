//! All that is wrong with a template: all of it at once, each with its place (draft-zhou §4.1 to
//! §4.3).
//!
//! Knows the rules and how much each weighs for whom; refuses to change a template. [`crate::read`]
//! applies the same rules to JSON and points into it. Here the places are those of the authored
//! form, which [`crate::write::authored`] writes.
//! Read next: [`LintRule`], [`sensitive`].

mod description;
mod finding;
mod keys;
mod names;
mod number;
mod place;
mod prose;
pub mod sensitive;
mod shape;
mod value;

pub use finding::{LintFinding, LintRule, LintSeverity, TemplateOrigin};
pub use value::{Unfit, fits};

pub(crate) use description::described;
pub(crate) use keys::{Placed, key, keys};
pub(crate) use number::inexact;
pub(crate) use place::Place;
pub(crate) use shape::one_level as shape_level;

use crate::template::{Annotation, Template};

/// The longest `semantic_description`, composed or verbatim, in any language; bytes.
pub const DESCRIPTION_BYTES_MAX: usize = 4 * 1024;
/// The most keys of a template, and the most members of one object.
pub const KEYS_MAX: usize = 256;
/// The depth to which shapes nest: a key is 1, its items or properties are 2.
pub const DEPTH_MAX: usize = 8;
/// The most languages of one annotation.
pub const LANGUAGES_MAX: usize = 64;
/// The longest `key_name`, in characters.
pub const NAME_CHARACTERS_MAX: usize = 64;

/// All that is wrong with a template, in its own order; nothing if it is clean.
///
/// Errors keep a template of ours from being published; of a peer's template, what errs can still
/// be worked around is a warning.
pub fn template(template: &Template, audience: TemplateOrigin) -> Vec<LintFinding> {
    let mut findings = Findings::new(audience);
    let root = Place::root();
    head(template, &root, &mut findings);
    let at = root.member("keys");
    let placed: Vec<Placed<'_>> = template
        .keys
        .iter()
        .enumerate()
        .map(|(i, key)| Placed {
            at: at.index(i),
            key,
        })
        .collect();
    for Placed { at, key: k } in &placed {
        key(k, at, &mut findings);
        shape::nested(&k.shape, at, &mut findings);
    }
    keys(template, &placed, &at, &mut findings);
    findings.list
}

/// True if nothing among the findings is an error.
pub fn passes(findings: &[LintFinding]) -> bool {
    findings.iter().all(|f| f.severity == LintSeverity::Warning)
}

/// Checks the members beside `keys`.
pub(crate) fn head(template: &Template, at: &Place, findings: &mut Findings) {
    names::schema_id(template, at, findings);
    names::scenario(template, at, findings);
    names::response(template, at, findings);
    if let Some(title) = &template.title {
        self::title(title, &at.member("title"), findings);
    }
}

fn title(title: &Annotation, at: &Place, findings: &mut Findings) {
    for description in title.0.values() {
        prose::text(&description.meaning, at, findings);
    }
}

/// Findings as they come, weighed for an audience.
pub(crate) struct Findings {
    audience: TemplateOrigin,
    pub(crate) list: Vec<LintFinding>,
}

impl Findings {
    pub(crate) fn new(audience: TemplateOrigin) -> Self {
        Self {
            audience,
            list: Vec::new(),
        }
    }

    pub(crate) fn audience(&self) -> TemplateOrigin {
        self.audience
    }

    /// Notes what a rule says of a place, unless the rule says nothing to this audience.
    pub(crate) fn note(&mut self, rule: LintRule, at: &Place, message: impl Into<String>) {
        if let Some(severity) = rule.severity(self.audience) {
            self.list.push(LintFinding {
                path: at.to_string(),
                severity,
                rule,
                message: message.into(),
            });
        }
    }
}
