//! The description of a candidate key, in English and Chinese.
//!
//! Read next: [`super`], which has screened the examples.

use super::Kind;
use crate::language::Language;
use crate::template::{Annotation, Description, MappingExample};
use ::language::script::is_mostly_chinese;
use std::collections::BTreeMap;

/// Descriptions in English and Chinese, each with the examples of its language; with all, if there
/// are none of its own.
pub(super) fn annotation(kind: &Kind, key_name: &str, examples: &[MappingExample]) -> Annotation {
    let phrase = key_name.replace('_', " ");
    let (en, zh) = meanings(kind, &phrase, examples);
    let of = |chinese: bool| -> Vec<MappingExample> {
        let own = examples
            .iter()
            .filter(|e| is_mostly_chinese(&e.said) == chinese)
            .cloned();
        Some(own.collect::<Vec<_>>())
            .filter(|own| !own.is_empty())
            .unwrap_or(examples.to_vec())
    };
    let described = |meaning: String, chinese: bool| Description {
        meaning,
        verbatim: false,
        examples: of(chinese),
    };
    Annotation(BTreeMap::from([
        (Language::english(), described(en, false)),
        (Language::chinese(), described(zh, true)),
    ]))
}

fn meanings(kind: &Kind, phrase: &str, examples: &[MappingExample]) -> (String, String) {
    let chinese = examples
        .iter()
        .find(|e| is_mostly_chinese(&e.said))
        .map(|e| e.said.as_str());
    let zh = chinese.unwrap_or(phrase);
    match kind {
        Kind::Amount { .. } => (
            format!("The amount asked for: {phrase}."),
            format!("所要求的数量：{zh}。"),
        ),
        Kind::Choice { .. } => (
            format!("Which is wanted: {phrase}; none if it does not matter."),
            format!("所需的选项：{zh}；none 表示无要求。"),
        ),
        Kind::Text { .. } => (
            format!("What is wanted, in few words: {phrase}."),
            format!("简述所需内容：{zh}。"),
        ),
        Kind::Switch { .. } => (
            format!("Whether this is wanted: {phrase}."),
            format!("是否需要：{zh}。"),
        ),
    }
}
