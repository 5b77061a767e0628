//! An untrusted patch: read, written, applied to a template, placed among its keys.

use super::{json, render, shaped, shipped};
use schema::evolution::{CandidateKey, EvolutionSettings, Resolved, effective, resolve};
use schema::lint::{self, LintRule, TemplateOrigin};
use schema::patch::Patch;
use schema::semantics::Embedder;
use schema::template::{OTHER, Template};
use schema::{read, write};
use std::collections::BTreeSet;

/// Reads bytes as a patch; applies it to the template that it names, or to another shipped one.
pub fn patch(data: &[u8]) {
    let Some(source) = json(data, shaped::patch) else {
        return;
    };
    for audience in [TemplateOrigin::Own, TemplateOrigin::Peer] {
        drop(read::suggestion(&source, audience));
        match read::patch(&source, audience) {
            Ok((patch, _)) => laid(&patch, audience),
            Err(findings) => assert!(!lint::passes(&findings), "refused for nothing"),
        }
    }
}

fn laid(patch: &Patch, audience: TemplateOrigin) {
    if audience == TemplateOrigin::Own {
        let authored = write::authored_patch(patch);
        let again = read::patch(&authored, audience).map(|(patch, _)| patch);
        assert_eq!(again.as_ref(), Ok(patch), "{authored}");
    }
    let all = shipped();
    let named = all.iter().find(|t| t.schema_id == patch.parent_schema_id);
    let base = named.unwrap_or(&all[patch.patch_id.len() % all.len()]);
    let patched = effective(base, [patch]);
    unharmed(base, &patched);
    assert_eq!(effective(base, [patch, patch]), patched, "twice is once");
    let others: Vec<Patch> = stacked(patch);
    unharmed(&patched, &effective(&patched, &others));
    if audience == TemplateOrigin::Own {
        let findings = lint::template(&patched, audience);
        let excused = |f: &lint::LintFinding| match f.rule {
            LintRule::Limit => true,
            // A new key may be described in another language than the base is.
            LintRule::Undescribed => patch
                .new_keys
                .iter()
                .any(|k| f.message.contains(&k.key_name)),
            _ => f.severity == lint::LintSeverity::Warning,
        };
        assert!(findings.iter().all(excused), "{findings:?}");
    }
    placed(patch, base);
    render(&patched);
}

/// Keys of the base stay, in order, and only their descriptions may change (draft-zhou §6.2.2).
fn unharmed(base: &Template, patched: &Template) {
    let mut kept = patched.clone();
    kept.keys.retain(|key| base.key(&key.key_name).is_some());
    for (key, was) in kept.keys.iter_mut().zip(&base.keys) {
        key.annotation = was.annotation.clone();
    }
    assert_eq!(&kept, base);
    let names: BTreeSet<_> = patched.keys.iter().map(|k| &k.key_name).collect();
    assert_eq!(names.len(), patched.keys.len(), "a name twice");
    assert_eq!(
        patched.keys.last().map(|k| k.key_name.as_str()),
        Some(OTHER)
    );
    let required = |t: &Template| t.keys.iter().filter(|k| k.required).count();
    assert_eq!(
        required(patched),
        required(base),
        "a patch requires nothing"
    );
}

/// The same keys with other types and descriptions, in further patches.
fn stacked(patch: &Patch) -> Vec<Patch> {
    let mut other = patch.clone();
    other.new_keys.reverse();
    let shapes: Vec<_> = other.new_keys.iter().map(|k| k.shape.clone()).collect();
    for (key, shape) in other.new_keys.iter_mut().zip(shapes.into_iter().rev()) {
        key.shape = shape;
    }
    vec![other, patch.clone()]
}

/// A candidate gets a free name, or refines an existing key (draft-zhou §6.2.2).
fn placed(patch: &Patch, base: &Template) {
    for key in &patch.new_keys {
        let said: Vec<String> = key
            .annotation
            .0
            .values()
            .flat_map(|d| d.examples.iter().map(|e| e.said.clone()))
            .collect();
        let candidate = CandidateKey {
            key: key.clone(),
            shown: said.iter().cloned().map(Some).collect(),
            said,
            sensitive: false,
        };
        let taken = [(key.key_name.clone(), base.keys[0].shape.clone())];
        match resolve(
            &candidate,
            base,
            &taken,
            &EvolutionSettings::default(),
            &Letters,
        ) {
            Some(Resolved::New(key)) => {
                assert!(base.key(&key.key_name).is_none() && !key.required);
            }
            Some(Resolved::Refines { refinement, .. }) => {
                assert!(base.key(&refinement.key_name).is_some());
            }
            None => {}
        }
    }
}

/// An embedder by letter frequencies.
struct Letters;

impl Embedder for Letters {
    fn id(&self) -> &str {
        "letters"
    }

    fn dimensions(&self) -> usize {
        32
    }

    fn threshold(&self) -> f32 {
        0.9
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        let mut counts = vec![0.0f32; 32];
        text.chars().for_each(|c| counts[c as usize % 32] += 1.0);
        let length = counts.iter().map(|x| x * x).sum::<f32>().sqrt().max(1.0);
        counts.into_iter().map(|x| x / length).collect()
    }

    fn opposes(&self, _: &str, _: &str) -> bool {
        false
    }
}
