//! The rules of which numbers of evolution go together, and which do not.

use super::*;

impl EvolutionSettings {
    /// The profile `draft-literal`: the draft's cosine of 0.85 for every embedder, its counts
    /// without a Sybil gate.
    pub fn draft_literal() -> Self {
        let mut settings = Self::default();
        settings.cluster.similarity = Similarity::DraftLiteral;
        settings.gates.sybil.enabled = false;
        settings
    }

    /// Everything switched off: nothing of §6.2 happens.
    pub fn off() -> Self {
        let parts = Parts {
            pool: false,
            patches: false,
            evaluation: false,
            personal: false,
            inline: false,
            polled: false,
        };
        Self {
            parts,
            ..Self::default()
        }
    }

    /// All that is wrong with these settings; empty if they can be used.
    pub fn check(&self) -> Vec<Invalid> {
        let mut found = self.parts.check();
        found.extend(self.durations());
        found.extend(self.counts());
        found.extend(self.shares());
        found
    }

    fn durations(&self) -> Vec<Invalid> {
        [
            ("cluster.retention-ms", self.cluster.retention_ms),
            ("heat.half-life-ms", self.heat.half_life_ms),
            ("gates.window-ms", self.gates.window_ms),
            ("patch.expiry-ms", self.patch.expiry_ms),
            ("patch.pending-ms", self.patch.pending_ms),
            ("trial.trial-ms", self.trial.trial_ms),
            ("trial.window-ms", self.trial.window_ms),
        ]
        .into_iter()
        .filter(|(_, ms)| !(1..=DURATION_MAX_MS).contains(ms))
        .map(|(setting, ms)| range(setting, "1 ms to ten years", ms as f64))
        .chain(
            [
                ("gates.sybil.age-min-ms", self.gates.sybil.age_min_ms),
                ("patch.rest-ms", self.patch.rest_ms),
                ("trial.grace-ms", self.trial.grace_ms),
                ("trial.backward-ms", self.trial.backward_ms),
            ]
            .into_iter()
            .filter(|(_, ms)| !(0..=DURATION_MAX_MS).contains(ms))
            .map(|(setting, ms)| range(setting, "0 to ten years", ms as f64)),
        )
        .chain((self.trial.window_ms < self.trial.trial_ms).then(|| {
            range(
                "trial.window-ms",
                "at least the trial",
                self.trial.window_ms as f64,
            )
        }))
        .chain((self.cluster.retention_ms < self.gates.window_ms).then(|| {
            let expected = "at least the gates' window";
            range(
                "cluster.retention-ms",
                expected,
                self.cluster.retention_ms as f64,
            )
        }))
        .collect()
    }

    fn counts(&self) -> Vec<Invalid> {
        let counted = self.gates.clients_min.max(self.gates.occurrences_min);
        [
            (
                "cluster.clusters-max",
                self.cluster.clusters_max,
                1,
                1_000_000,
            ),
            (
                "cluster.members-max",
                self.cluster.members_max,
                counted,
                1_024,
            ),
            (
                "cluster.relink-neighbours",
                self.cluster.relink_neighbours,
                0,
                64,
            ),
            ("gates.clients-min", self.gates.clients_min, 1, 1_024),
            (
                "gates.occurrences-min",
                self.gates.occurrences_min,
                1,
                1_024,
            ),
            (
                "gates.sybil.per-client-per-day",
                self.gates.sybil.per_client_per_day,
                1,
                1_024,
            ),
            ("induction.examples-max", self.induction.examples_max, 1, 16),
            ("induction.variants-max", self.induction.variants_max, 2, 64),
            (
                "patch.policy.sensitive-approvers",
                self.patch.policy.sensitive_approvers,
                1,
                16,
            ),
            ("trial.clients-max", self.trial.clients_max, 1, 1_000_000),
            (
                "convergence.experimental-max",
                self.convergence.experimental_max,
                1,
                1_000,
            ),
            (
                "convergence.queue-max",
                self.convergence.queue_max,
                1,
                100_000,
            ),
        ]
        .into_iter()
        .filter(|(_, n, least, most)| !(least..=most).contains(&n))
        .map(|(setting, n, ..)| range(setting, "within its range", n as f64))
        .collect()
    }

    fn shares(&self) -> Vec<Invalid> {
        let (up, down) = (&self.trial.promotion, &self.trial.deprecation);
        let pairs = [
            ("trial.deprecation.usage", down.usage, up.usage),
            ("trial.deprecation.alignment", down.alignment, up.alignment),
            (
                "trial.deprecation.type-correctness",
                down.type_correctness,
                up.type_correctness,
            ),
        ];
        // Disjoint by construction: a key cannot be promoted and deprecated at once.
        let shares = pairs
            .into_iter()
            .filter(|(_, down, up)| !(0.0 <= *down && down <= up && *up <= 1.0))
            .map(|(setting, down, _)| {
                range(
                    setting,
                    "0 to the share that promotes, which is at most 1",
                    down,
                )
            });
        let positive = [
            ("heat.increment", self.heat.increment),
            ("heat.personal-increment", self.heat.personal_increment),
            ("heat.threshold", self.heat.threshold),
        ]
        .into_iter()
        .filter(|(_, n)| !(n.is_finite() && *n > 0.0))
        .map(|(setting, n)| range(setting, "above 0", n));
        let cosine = match self.cluster.similarity {
            Similarity::Fixed(c) if !(c > 0.0 && c <= 1.0) => {
                Some(range("cluster.similarity", "above 0, at most 1", c.into()))
            }
            _ => None,
        };
        let margin = self.cluster.relink_margin;
        let margin = (!(0.0..=1.0).contains(&margin))
            .then(|| range("cluster.relink-margin", "0 to 1", margin.into()));
        shares.chain(positive).chain(cosine).chain(margin).collect()
    }
}

impl Parts {
    fn check(self) -> Vec<Invalid> {
        [
            (self.patches && !self.pool, "patches", "pool"),
            (self.patches && !self.evaluation, "patches", "evaluation"),
            (self.personal && !self.patches, "personal", "patches"),
            (self.inline && !self.patches, "inline", "patches"),
            (self.polled && !self.patches, "polled", "patches"),
        ]
        .into_iter()
        .filter(|(wrong, ..)| *wrong)
        .map(|(_, part, needs)| Invalid::Part { part, needs })
        .collect()
    }
}

fn range(setting: &'static str, expected: &'static str, found: f64) -> Invalid {
    Invalid::Range {
        setting,
        expected,
        found,
    }
}
