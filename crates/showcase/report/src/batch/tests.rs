//! Tables of batches.

use super::*;
use crate::invented;
use markup::words::width;
use proptest::prelude::*;

fn score(policy: &str, seed: u64, figures: &[(&str, f64)]) -> Score {
    Score {
        version: 1,
        policy: policy.into(),
        topology: "two-towns".into(),
        seed,
        days: 1.0,
        figures: figures
            .iter()
            .map(|(name, v)| ((*name).to_owned(), *v))
            .collect(),
        ..Score::default()
    }
}

/// Six seeds; agents are better on one row, worse on one, and like the others on the third.
fn small() -> ScoreBatch {
    let wave = [0.0, 0.4, -0.3, 0.1, -0.4, 0.2];
    let scores = wave.into_iter().zip(1..).flat_map(|(w, seed)| {
        [
            score(
                "manual",
                seed,
                &[
                    ("restore-p50", 90.0 + 10.0 * w),
                    ("energy", 800.0 + w),
                    ("dispatches", 4.0),
                    ("messages", 0.0),
                ],
            ),
            score(
                "agents",
                seed,
                &[
                    ("restore-p50", 40.0 - 9.0 * w),
                    ("energy", 811.0 - w),
                    ("dispatches", 4.0 + w),
                    ("messages", 1500.0 + 100.0 * w),
                    ("root-cause-top-1", 0.9 + w / 10.0),
                    ("best-yardstick-top-1", 0.95),
                ],
            ),
        ]
    });
    ScoreBatch::new(scores)
}

#[test]
fn a_wide_table_has_its_verdicts_beside_the_rows() {
    insta::assert_snapshot!(small().text(120), @r#"
agents: 6 runs, manual: 6 runs; mean ± half of the 95 % interval

                                agents         manual
root-cause-top-1, %         90.0 ± 3.2              –  too few pairs with manual
best-yardstick-top-1, %     95.0 ± 0.0              –  too few pairs with manual
restore-p50, min            40.0 ± 2.9     90.0 ± 3.2  better than manual
dispatches                 4.00 ± 0.32    4.00 ± 0.00  no difference shown to manual
energy, kWh              811.00 ± 0.32  800.00 ± 0.32  worse than manual
messages                    1,500 ± 32          0 ± 0  more than manual
root-cause-top-1: agents: worse than the best yardstick

Fewer than 30 seeds (the fewest: 6): the intervals are right only as far as the figures are spread normally.
5 comparisons at 95 %: of those without a difference about one in twenty shows one.
root-cause-top-1: manual has it in 0 of 6 runs.
best-yardstick-top-1: manual has it in 0 of 6 runs.
"#);
}

#[test]
fn a_narrow_table_has_them_below() {
    insta::assert_snapshot!(small().text(64), @r#"
agents: 6 runs, manual: 6 runs; mean ± half of the 95 % interval

                                agents         manual
root-cause-top-1, %         90.0 ± 3.2              –
    too few pairs with manual
best-yardstick-top-1, %     95.0 ± 0.0              –
    too few pairs with manual
restore-p50, min            40.0 ± 2.9     90.0 ± 3.2
    better than manual
dispatches                 4.00 ± 0.32    4.00 ± 0.00
    no difference shown to manual
energy, kWh              811.00 ± 0.32  800.00 ± 0.32
    worse than manual
messages                    1,500 ± 32          0 ± 0
    more than manual
root-cause-top-1: agents: worse than the best yardstick

Fewer than 30 seeds (the fewest: 6): the intervals are right
only as far as the figures are spread normally.
5 comparisons at 95 %: of those without a difference about one
in twenty shows one.
root-cause-top-1: manual has it in 0 of 6 runs.
best-yardstick-top-1: manual has it in 0 of 6 runs.
"#);
}

#[test]
fn without_room_for_columns_each_policy_has_a_line() {
    let text = small().text(40);
    insta::assert_snapshot!(text.lines().skip(3).take(8).collect::<Vec<_>>().join("\n"), @r#"
root-cause-top-1, %
    agents: 90.0 ± 3.2
    manual: –
    too few pairs with manual
best-yardstick-top-1, %
    agents: 95.0 ± 0.0
    manual: –
    too few pairs with manual
"#);
}

#[test]
fn json_holds_every_value_in_its_own_unit() {
    let json: serde_json::Value = serde_json::from_str(&small().json()).unwrap();
    let row = |name: &str| {
        json["rows"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["metric"] == name)
            .cloned()
            .unwrap()
    };
    assert_eq!(row("root-cause-top-1")["values"]["agents"]["mean"], 0.9);
    assert_eq!(row("energy")["against"]["manual"]["verdict"], "worse");
    assert_eq!(row("energy")["better"], "lower");
    assert_eq!(row("messages")["against"]["manual"]["verdict"], "more");
    assert_eq!(
        json["baselines"]["best-yardstick-top-1"]["verdict"],
        "worse"
    );
    assert_eq!(json["runs"]["manual"], 6);
}

#[test]
fn every_row_on_which_agents_do_worse_has_its_sentence() {
    let table = small().table();
    let found = crate::finding::findings(&table, 1);
    insta::assert_snapshot!(found.into_iter().map(|f| f.sentence).collect::<Vec<_>>().join("\n"), @r#"
Energy: agents 811.00 kWh, manual 800.00 kWh; worse, by 11.00 kWh (95 % interval of the difference 10.36 to 11.64, 6 pairs, few).
Time to restore, median: agents 40.0 min, manual 90.0 min; better, by 50.0 min (95 % interval of the difference −56.0 to −44.0, 6 pairs, few).
Messages: agents 1,500, manual 0; more, by 1,500 (95 % interval of the difference 1,468 to 1,532, 6 pairs, few).
No difference is shown in (against manual): Dispatches.
Too few pairs to say anything of (against manual): Root cause named first; Yardstick: the best one tuned.
"#);
    let rules = crate::finding::against_rules(&table);
    insta::assert_snapshot!(rules.into_iter().map(|f| f.sentence).collect::<Vec<_>>().join("\n"), @r#"
Root cause named first: agents 90.0 %, the best yardstick 95.0 %; worse, by 5.0 points (95 % interval of the difference −8.2 to −1.8, 6 pairs, few).
"#);
}

#[test]
fn seeds_are_paired_and_a_seed_that_one_policy_lacks_counts_for_the_other_alone() {
    let mut scores = small().scores;
    scores.retain(|s| !(s.policy == "manual" && s.seed == 6));
    scores.push(score("manual", 99, &[("energy", 1.0)]));
    let table = ScoreBatch::new(scores).table();
    let energy = table
        .rows
        .iter()
        .find(|row| row.metric.name == "energy")
        .unwrap();
    assert_eq!(
        energy
            .values
            .iter()
            .map(|v| v.unwrap().n)
            .collect::<Vec<_>>(),
        [6, 6]
    );
    assert_eq!(energy.against[0].difference.unwrap().n, 5);
}

#[test]
fn runs_of_different_size_are_no_pair() {
    let mut other = score("manual", 1, &[("energy", 1.0)]);
    other.sites = 9;
    let table = ScoreBatch::new([score("agents", 1, &[("energy", 2.0)]), other]).table();
    assert_eq!(table.rows[0].against[0].difference, None);
}

#[test]
fn a_run_that_was_made_again_counts_once() {
    let first = score("agents", 1, &[("energy", 5.0)]);
    let again = score("agents", 1, &[("energy", 6.0)]);
    assert_eq!(
        ScoreBatch::new([first, again]).values("agents", "energy"),
        [6.0]
    );
}

#[test]
fn few_seeds_and_figures_that_some_runs_lack_are_said() {
    let mut batch = small();
    batch.scores[0].figures.remove("energy");
    batch.scores[0].figures.insert("luck".into(), 1.0);
    insta::assert_snapshot!(batch.table().notes.join("\n"), @r#"
Fewer than 30 seeds (the fewest: 6): the intervals are right only as far as the figures are spread normally.
5 comparisons at 95 %: of those without a difference about one in twenty shows one.
root-cause-top-1: manual has it in 0 of 6 runs.
best-yardstick-top-1: manual has it in 0 of 6 runs.
energy: agents has it in 5 of 6 runs.
Not shown, for nothing defines them: luck.
"#);
    let many = (0..30).map(|seed| score("agents", seed, &[("energy", 1.0)]));
    assert!(ScoreBatch::new(many).table().notes.is_empty());
}

#[test]
fn an_empty_batch_has_an_empty_table() {
    let batch = ScoreBatch::new([]);
    assert!(batch.table().rows.is_empty());
    assert_eq!(batch.text(80).lines().count(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// No line is wider than asked for, and the order of the scores does not matter.
    #[test]
    fn a_table_fits(scores in prop::collection::vec(invented::scores(), 0..24), room in 40usize..160) {
        let batch = ScoreBatch::new(scores.clone());
        for line in batch.text(room).lines() {
            prop_assert!(width(line) <= room, "{line}");
        }
        let sorted = ScoreBatch::new(batch.scores.iter().rev().cloned());
        prop_assert_eq!(sorted.json(), batch.json());
    }
}
