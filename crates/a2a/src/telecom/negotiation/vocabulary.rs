//! The titles and fixed words of Negotiation-T, in both languages.
//!
//! Titles and the two confirmation requests are fixed by the templates of IG1453; all other words
//! are ours.

use super::NegotiationTopic;
use crate::telecom::markdown::{Prompt, Section, same_title};
use crate::telecom::text_language::TextLanguage;

/// A section of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heading {
    Summary(NegotiationTopic),
    Conclusion(NegotiationTopic),
    Outcome(NegotiationTopic),
    UnderEvaluation,
    Infeasible,
    FeasibleConfirm,
    Understanding,
    Alignment,
    ToClarify,
    TargetConfirm,
    Required,
    Aborted,
    Termination,
}

impl Heading {
    /// The headings under which an offer stands.
    pub(super) const OFFERED: [Heading; 4] = [
        Self::UnderEvaluation,
        Self::Infeasible,
        Self::Understanding,
        Self::Alignment,
    ];

    pub(super) fn title(self, text_language: TextLanguage) -> &'static str {
        let (english, chinese) = self.titles();
        text_language.either(english, chinese)
    }

    fn titles(self) -> (&'static str, &'static str) {
        use NegotiationTopic::{Feasibility, Information, Target};
        match self {
            Self::Summary(Feasibility) => ("Feasibility Negotiation", "可行性协商"),
            Self::Summary(Target) => ("Target Negotiation", "目标协商"),
            Self::Summary(Information) => ("Information Negotiation", "信息协商"),
            Self::Conclusion(Feasibility) => ("Feasibility Negotiation Result", "可行性协商结果"),
            Self::Conclusion(Target) => ("Target Negotiation Result", "目标协商结果"),
            Self::Conclusion(Information) => ("Information Negotiation Result", "信息协商结果"),
            Self::Outcome(Feasibility) => (
                "Feasibility Assessment Result Confirmation",
                "可行性评估结果确认",
            ),
            Self::Outcome(Target) => ("Target Negotiation Result Content", "目标协商结果内容"),
            Self::Outcome(Information) => {
                ("Information Negotiation Result Content", "信息协商结果内容")
            }
            Self::UnderEvaluation => ("Under Evaluation Description", "待评估内容说明"),
            Self::Infeasible => (
                "Infeasible Evaluation Details and Proposal",
                "评估不可行时的详情和提案",
            ),
            Self::FeasibleConfirm => (
                "Feasible Evaluation Confirmation Request",
                "评估可行时的确认请求",
            ),
            Self::Understanding => ("Intent Understanding Statement", "意图理解陈述"),
            Self::Alignment => (
                "Understanding Alignment and Clarification",
                "理解对齐与疑问澄清",
            ),
            Self::ToClarify => ("Content to Clarify", "待澄清内容"),
            Self::TargetConfirm => (
                "Target Clarification Confirmation Request",
                "目标澄清后的确认请求",
            ),
            Self::Required => ("Required Information Items", "所需信息项"),
            Self::Aborted => ("Negotiation Result", "协商结果"),
            Self::Termination => ("Negotiation Termination Reason", "协商终止原因"),
        }
    }

    /// The section of a message.
    pub(super) fn of(self, document: &Prompt) -> Option<&Section> {
        TextLanguage::ALL
            .into_iter()
            .find_map(|text_language| document.section(self.title(text_language)))
    }

    /// The text of the section; empty if it is not there.
    pub(super) fn text(self, document: &Prompt) -> String {
        self.of(document).map(Section::text).unwrap_or_default()
    }
}

/// The language of a message: that of its first title.
pub(super) fn text_language(document: &Prompt) -> TextLanguage {
    let chinese = |section: &Section| section.title.chars().any(|c| ('一'..='龥').contains(&c));
    match document.sections.first() {
        Some(section) if chinese(section) => TextLanguage::Chinese,
        _ => TextLanguage::English,
    }
}

/// The language of a text: that of its first title; English of what is no prompt.
pub fn tongue_of(text: &str) -> TextLanguage {
    Prompt::parse(text)
        .map(|document| text_language(&document))
        .unwrap_or_default()
}

/// `Alternative 2`: the heading of one of several, and the label of the one that is accepted.
pub(super) fn alternative(text_language: TextLanguage) -> &'static str {
    text_language.either("Alternative", "方案")
}

/// True for the heading of an alternative.
pub(super) fn is_alternative(heading: &str) -> bool {
    let word = heading
        .trim_end_matches(|c: char| c.is_ascii_digit())
        .trim();
    TextLanguage::ALL
        .into_iter()
        .any(|text_language| same_title(word, alternative(text_language)))
}

/// True for the label of how items that lack depend on each other.
pub(super) fn is_relationship(name: &str) -> bool {
    same_title(name, "Relationship between missing items") || same_title(name, "缺失项之间的关系")
}

/// The text that asks for confirmation; the wording is fixed.
pub(super) fn confirm(topic: NegotiationTopic, text_language: TextLanguage) -> &'static str {
    match topic {
        NegotiationTopic::Feasibility => text_language.either(
            "The target is assessed as feasible. Do you agree to proceed with this target?",
            "评估目标可行，是否同意按照此目标继续执行？",
        ),
        _ => text_language.either(
            "The target has been clarified. Do you agree to proceed with this target?",
            "目标已经澄清，是否同意按照此目标继续执行？",
        ),
    }
}
