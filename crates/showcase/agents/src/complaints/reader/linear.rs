//! Complaints are read in steps that grow as their length does: counted, never timed.

use super::tests::germany;
use super::*;
use proptest::prelude::*;
use schema::semantics::FailureKind;
use schema::steps::STEPS_MOST;
use std::sync::LazyLock;

static GERMANY: LazyLock<Inventory> = LazyLock::new(germany);

fn written() -> Timestamp {
    Timestamp::parse("2026-05-04T12:00:00Z").unwrap()
}

fn steps(text: &str) -> u64 {
    let work = ReadingBudget::within(Effort::any());
    PlainReader
        .read_within(&GERMANY, text, written(), &work)
        .unwrap();
    work.taken()
}

/// Twice as much of the same takes at most a little more than twice the steps.
fn grows_as_it_is_long(text: impl Fn(usize) -> String) -> Result<(), String> {
    let told = |n: usize| steps(&text(n));
    let (one, two, four) = (told(1), told(2), told(4));
    let linear = |less: u64, more: u64| more <= less * 22 / 10 + 2_000;
    match linear(one, two) && linear(two, four) {
        true => Ok(()),
        false => Err(format!("{:?}: {one}, {two}, {four} steps", text(0))),
    }
}

/// A piece again and again, behind what says in which language it is.
fn again(before: &str, piece: &str, n: usize) -> String {
    let times = (1_200 / piece.len()).max(2);
    format!("{before}{}", piece.repeat(n * times))
}

const PIECES_OF_ATTACKS: &[&str] = &[
    " ",
    "a ",
    "A-",
    "1 ",
    "0HV A7K2M9 B404829 ",
    "0HVA7K2M9B4048293X ",
    "a          ",
    "Bremen ",
    "Bremen-to-Hamburg-to-",
    "from Bremen to Hamburg ",
    "from-the-",
    "leaving Bremerhaven ",
    "Breme ",
    "Muenchn ",
    "frankfurtfrankfurt",
    "New York ",
    "bbbbbb",
    "ü",
    "İ",
    "call ",
    "call a ",
    "call a b c dropped ",
    "no one minute ",
    "signal signl siganl ",
    "disconnecting and ",
    "one two three ",
    "last night ",
    "before yesterday today ",
    "at 19:05 ",
    "at 7.3 ",
    "19:",
    "half past ",
    "7 o'clock ",
    "7 pm ",
    "21 ",
    "21 of ",
    "April ",
    "of April ",
    "good evening ",
    "every morning ",
    "two hours ",
    "hours ago ",
    "''",
    "...!?",
    "从不来梅到汉堡",
    "不来梅港",
    "不来梅到",
    "从",
    "柏林",
    "离开了",
    "信",
    "信号",
    "信好网路一只",
    "电话",
    "电话断",
    "流量",
    "一",
    "十二",
    "月",
    "4月",
    "四月二十一",
    "点",
    "一点",
    "晚上一点",
    "十一点半",
    "19:",
    "9",
    "0",
    "周",
    "星期",
    "礼拜八",
    "前天昨天",
    "小时前",
    "晚上好",
];

#[test]
fn twice_as_much_takes_twice_the_steps() {
    let all = PIECES_OF_ATTACKS.iter().flat_map(|piece| {
        ["", "车", "in Bremen "].map(|before| grows_as_it_is_long(|n| again(before, piece, n)))
    });
    let wrong: Vec<String> = all.filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Found: whether a town leads on to another was looked up among all towns of the letter.
#[test]
fn towns_that_lead_on_to_others() {
    for piece in ["Bremen-to-Hamburg-to-Ulm, ", "不来梅到汉堡到乌尔姆，"] {
        assert_eq!(grows_as_it_is_long(|n| again("", piece, n)), Ok(()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever they are put together of.
    #[test]
    fn whatever_is_said_again_and_again_takes_as_many_steps_as_it_is_long(
        pieces in prop::collection::vec(prop::sample::select(PIECES_OF_ATTACKS), 2..5),
    ) {
        let piece = pieces.concat();
        let found = grows_as_it_is_long(|n| again("", &piece, n));
        prop_assert!(found.is_ok(), "{piece:?}: {found:?}");
    }
}

/// A letter of 64 KiB is read, whatever its language; one that is more work than is done for one is
/// refused as such.
#[test]
fn what_is_too_much_work_is_refused() {
    for piece in [
        "my car lost every connection near Bremen ",
        "车在不来梅附近断网，",
    ] {
        let letter = piece.repeat(65_536 / piece.len());
        assert!(
            PlainReader.read(&GERMANY, &letter, written()).is_ok(),
            "{}",
            steps(&letter)
        );
        let refused = PlainReader.read(&GERMANY, &letter.repeat(16), written());
        let refused = refused.unwrap_err();
        assert_eq!(refused.kind, FailureKind::TooMuch);
        assert!(refused.reason.contains(&STEPS_MOST.to_string()));
    }
}

/// Who no longer waits is noticed, and nothing is done for him after that.
#[test]
fn who_does_not_wait_is_noticed() {
    for text in ["no signal since yesterday in Bremn", "昨天在不来梅没信号"] {
        let asked = std::cell::Cell::new(0);
        let over = |from: usize| {
            asked.set(0);
            let over = || {
                asked.set(asked.get() + 1);
                asked.get() >= from
            };
            let work = ReadingBudget::within(Effort::until(&over));
            PlainReader.read_within(&GERMANY, text, written(), &work)
        };
        assert!(over(usize::MAX).is_ok());
        let times = asked.get();
        assert!(times > 3, "{times}");
        for from in 1..=times {
            assert_eq!(over(from), Err(GivenUp::Cancelled));
            assert_eq!(asked.get(), from);
        }
    }
}
