//! Standing rules, by name and by what they are about: a decision meets only those that could cover it.
//!
//! Read next: [`super`], which keeps them; `domain::policy::decide`, what they say.

use domain::policy::{DecisionKind, PendingDecision, RuleKey, StandingRule};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Default)]
pub(crate) struct Rules {
    by_name: BTreeMap<RuleKey, Arc<StandingRule>>,
    /// The same by whose decisions they are about, none of patches, and of which kind.
    about: BTreeMap<Option<String>, BTreeMap<DecisionKind, Vec<Arc<StandingRule>>>>,
}

impl Rules {
    pub(crate) fn of(rules: impl IntoIterator<Item = StandingRule>) -> Self {
        let mut all = Self::default();
        rules.into_iter().for_each(|rule| all.insert(rule));
        all
    }

    pub(crate) fn insert(&mut self, rule: StandingRule) {
        self.remove(&rule.key);
        let decider = rule.decider().map(str::to_owned);
        let rule = Arc::new(rule);
        let about = self.about.entry(decider).or_default();
        about.entry(rule.kind).or_default().push(Arc::clone(&rule));
        self.by_name.insert(rule.key.clone(), rule);
    }

    pub(crate) fn remove(&mut self, key: &RuleKey) -> Option<Arc<StandingRule>> {
        let rule = self.by_name.remove(key)?;
        let decider = rule.decider().map(str::to_owned);
        if let Some(about) = self.about.get_mut(&decider) {
            for rules in about.values_mut() {
                rules.retain(|other| other.key != *key);
            }
            about.retain(|_, rules| !rules.is_empty());
            if about.is_empty() {
                self.about.remove(&decider);
            }
        }
        Some(rule)
    }

    pub(crate) fn find(&self, key: &RuleKey) -> Option<&Arc<StandingRule>> {
        self.by_name.get(key)
    }

    /// All of them, by name.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<StandingRule>> {
        self.by_name.values()
    }

    /// Those of one author, by name.
    pub(crate) fn of_author<'r>(
        &'r self,
        author: &str,
    ) -> impl Iterator<Item = &'r Arc<StandingRule>> {
        let author = author.to_owned();
        let from = RuleKey {
            author: author.clone(),
            name: String::new(),
        };
        let rules = self.by_name.range(from..).map(|(_, rule)| rule);
        rules.take_while(move |rule| rule.key.author == author)
    }

    /// Those that could cover a decision.
    pub(crate) fn about(
        &self,
        pending: &PendingDecision,
    ) -> impl Iterator<Item = &StandingRule> + use<'_> {
        let found = self.found(&pending.decider, pending.subject.kind);
        found.iter().map(|rule| &**rule)
    }

    /// True if one could cover a decision of this kind, of this user or of patches.
    pub(crate) fn concern(&self, decider: &Option<String>, kind: DecisionKind) -> bool {
        !self.found(decider, kind).is_empty()
    }

    /// The users whose decisions they are about.
    pub(crate) fn deciders(&self) -> impl Iterator<Item = &String> {
        self.about.keys().flatten()
    }

    fn found(&self, decider: &Option<String>, kind: DecisionKind) -> &[Arc<StandingRule>] {
        let about = self.about.get(decider);
        about
            .and_then(|about| about.get(&kind))
            .map_or(&[], Vec::as_slice)
    }
}
