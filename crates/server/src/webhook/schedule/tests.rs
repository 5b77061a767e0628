//! The schedule with a clock that the tests move.

use super::*;

const POLICY: DeliveryPolicy = DeliveryPolicy {
    try_ms: 10_000,
    backoff: Backoff {
        first_ms: 1_000,
        longest_ms: 300_000,
    },
    give_up_ms: 86_400_000,
    tries: 6,
    tries_a_host: 4,
};

fn queue(task: &str, host: &str) -> (DeliveryQueue, Target) {
    let url = format!("http://{host}/");
    let target = Target::parse(&url).unwrap();
    let task = TaskId::new(task);
    let push = None;
    (DeliveryQueue { task, url, push }, target)
}

fn enter(schedule: &mut Schedule, task: &str, host: &str, sequence: Sequence) {
    assert!(enter_for(schedule, "ann", task, host, sequence));
}

fn enter_for(
    schedule: &mut Schedule,
    owner: &str,
    task: &str,
    host: &str,
    sequence: Sequence,
) -> bool {
    let (queue, target) = queue(task, host);
    let time = Timestamp::from_ms(1_000);
    schedule.enter(&queue, owner, &target, sequence, time)
}

/// The most queues of one owner, to `a.example`; a change each.
fn fill(schedule: &mut Schedule) {
    for n in 0..queues_of_one() as u64 {
        enter(schedule, &format!("t-{n:05}"), "a.example", n + 1);
    }
}

/// The number of queues with names like these that one owner may have.
fn queues_of_one() -> usize {
    WAITING_BYTES / queue("t-00000", "a.example").0.bytes()
}

fn reached(schedule: &mut Schedule) -> Vec<QueuePosition> {
    let changed = schedule.take_changed().into_iter();
    changed.map(|(_, reached)| reached).collect()
}

fn settle(
    schedule: &mut Schedule,
    one: &DeliveryAttempt,
    outcome: DeliveryOutcome,
    now_ms: u64,
) -> usize {
    schedule.settle(&one.queue, outcome, now_ms, Timestamp::from_ms(2_000))
}

fn all(schedule: &mut Schedule) -> Vec<DeliveryAttempt> {
    std::iter::from_fn(|| schedule.next_try()).collect()
}

fn names(tries: &[DeliveryAttempt]) -> Vec<String> {
    tries
        .iter()
        .map(|t| format!("{}:{}", t.queue.task, t.sequence))
        .collect()
}

#[test]
fn a_task_is_told_in_order_and_one_change_at_a_time() {
    let mut schedule = Schedule::new(POLICY);
    for sequence in [3, 5, 9] {
        enter(&mut schedule, "t", "a.example", sequence);
    }
    for sequence in [3, 5, 9] {
        let tries = all(&mut schedule);
        assert_eq!(names(&tries), [format!("t:{sequence}")]);
        settle(&mut schedule, &tries[0], DeliveryOutcome::Delivered, 0);
    }
    assert_eq!((all(&mut schedule), schedule.pending()), (vec![], 0));
}

#[test]
fn waits_double_up_to_the_longest_and_begin_anew_after_a_success() {
    let mut schedule = Schedule::new(POLICY);
    enter(&mut schedule, "t", "a.example", 1);
    enter(&mut schedule, "t", "a.example", 2);
    let mut now = 0;
    let mut waits = Vec::new();
    for _ in 0..11 {
        let one = schedule.next_try().unwrap();
        assert_eq!(one.sequence, 1, "the second waits for the first");
        settle(&mut schedule, &one, DeliveryOutcome::Refused, now);
        assert!(schedule.next_try().is_none());
        let due = schedule.due_ms().unwrap();
        waits.push((due - now) / 1_000);
        schedule.wake(due - 1);
        assert!(schedule.next_try().is_none());
        now = due;
        schedule.wake(now);
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    let one = schedule.next_try().unwrap();
    settle(&mut schedule, &one, DeliveryOutcome::Delivered, now);
    let one = schedule.next_try().unwrap();
    settle(&mut schedule, &one, DeliveryOutcome::Silence, now);
    assert_eq!(schedule.due_ms(), Some(now + 1_000));
}

#[test]
fn a_host_has_its_share_and_a_silent_one_a_single_place() {
    let mut schedule = Schedule::new(POLICY);
    for task in 0..5 {
        for host in ["a.example", "b.example"] {
            enter(&mut schedule, &format!("{host}-{task}"), host, task + 1);
        }
    }
    let tries = all(&mut schedule);
    let to = |tries: &[DeliveryAttempt], host: &str| {
        tries.iter().filter(|t| t.queue.url.contains(host)).count()
    };
    assert_eq!(
        (to(&tries, "a.example"), to(&tries, "b.example")),
        (3, 3),
        "in turn"
    );
    for one in &tries {
        let outcome = match one.queue.url.contains("a.example") {
            true => DeliveryOutcome::Silence,
            false => DeliveryOutcome::Delivered,
        };
        settle(&mut schedule, one, outcome, 0);
    }
    let tries = all(&mut schedule);
    assert_eq!((to(&tries, "a.example"), to(&tries, "b.example")), (1, 2));
    // An answer, even a refusal, gives the host its places back.
    for one in &tries {
        settle(&mut schedule, one, DeliveryOutcome::Refused, 0);
    }
    schedule.wake(1_000);
    let tries = all(&mut schedule);
    assert_eq!((to(&tries, "a.example"), to(&tries, "b.example")), (4, 2));
}

#[test]
fn hosts_that_fail_delay_no_other() {
    let mut schedule = Schedule::new(POLICY);
    for task in 0..100 {
        enter(
            &mut schedule,
            &format!("dead-{task}"),
            "dead.example",
            task + 1,
        );
    }
    let first = all(&mut schedule);
    for one in &first {
        settle(&mut schedule, one, DeliveryOutcome::Silence, 0);
    }
    let probe = all(&mut schedule);
    assert_eq!((first.len(), probe.len()), (4, 1));
    for task in 0..100 {
        enter(
            &mut schedule,
            &format!("live-{task}"),
            "live.example",
            task + 101,
        );
    }
    let mut told = 0;
    while told < 100 {
        for one in all(&mut schedule) {
            assert!(one.queue.url.contains("live"));
            settle(&mut schedule, &one, DeliveryOutcome::Delivered, 0);
            told += 1;
        }
    }
}

#[test]
fn what_is_too_old_is_given_up_with_the_next_failure_and_what_is_young_is_kept() {
    let mut schedule = Schedule::new(POLICY);
    let (queue, target) = queue("t", "a.example");
    let day = POLICY.give_up_ms;
    for (sequence, at) in [(1, 0), (2, 10), (3, day)] {
        schedule.enter(&queue, "ann", &target, sequence, Timestamp::from_ms(at));
    }
    let fail = |schedule: &mut Schedule, at| {
        let one = schedule.next_try().unwrap();
        let given_up = schedule.settle(
            &one.queue,
            DeliveryOutcome::Refused,
            0,
            Timestamp::from_ms(at),
        );
        schedule.wake(u64::MAX);
        given_up
    };
    assert_eq!(fail(&mut schedule, day - 1), 0);
    assert_eq!(fail(&mut schedule, day + 10), 2);
    assert_eq!(schedule.pending(), 1);
    assert_eq!(fail(&mut schedule, 2 * day), 1);
    assert_eq!(schedule.pending(), 0);
}

#[test]
fn who_wants_nothing_more_is_told_nothing_more_of_that_task() {
    let mut schedule = Schedule::new(POLICY);
    for sequence in [1, 2] {
        enter(&mut schedule, "t", "a.example", sequence);
    }
    let one = schedule.next_try().unwrap();
    settle(&mut schedule, &one, DeliveryOutcome::Gone, 0);
    assert_eq!(
        schedule.take_changed(),
        [(Arc::clone(&one.queue), QueuePosition::Gone)]
    );
    enter(&mut schedule, "t", "a.example", 3);
    assert!(schedule.next_try().is_none());
    enter(&mut schedule, "other", "a.example", 4);
    enter(&mut schedule, "t", "b.example", 5);
    assert_eq!(names(&all(&mut schedule)), ["t:5", "other:4"]);
    // The end of the task ends what is remembered of it.
    schedule.take_changed();
    schedule.task_ended(&TaskId::new("t"));
    assert_eq!(schedule.take_changed(), [(one.queue, QueuePosition::End)]);
}

#[test]
fn a_receiver_that_leaves_at_the_end_of_the_task_is_not_remembered() {
    let mut schedule = Schedule::new(POLICY);
    enter(&mut schedule, "t", "a.example", 1);
    schedule.task_ended(&TaskId::new("t"));
    let one = schedule.next_try().unwrap();
    settle(&mut schedule, &one, DeliveryOutcome::Gone, 0);
    assert_eq!(schedule.take_changed(), [(one.queue, QueuePosition::End)]);
}

#[test]
fn places_reached_are_told_once_and_again_if_they_were_not_kept() {
    let mut schedule = Schedule::new(POLICY);
    for sequence in [7, 9] {
        enter(&mut schedule, "t", "a.example", sequence);
    }
    assert_eq!(reached(&mut schedule), [QueuePosition::Behind(6)]);
    assert_eq!(reached(&mut schedule), []);
    let one = schedule.next_try().unwrap();
    settle(&mut schedule, &one, DeliveryOutcome::Refused, 0);
    assert_eq!(reached(&mut schedule), [], "a failure moves nothing");
    schedule.wake(1_000);
    let one = schedule.next_try().unwrap();
    settle(&mut schedule, &one, DeliveryOutcome::Delivered, 0);
    assert_eq!(reached(&mut schedule), [QueuePosition::Behind(8)]);
    schedule.not_kept(Arc::clone(&one.queue));
    assert_eq!(reached(&mut schedule), [QueuePosition::Behind(8)]);
    let one = schedule.next_try().unwrap();
    settle(&mut schedule, &one, DeliveryOutcome::Delivered, 0);
    assert_eq!(reached(&mut schedule), [QueuePosition::End]);
}

/// A withdrawn queue is dropped, but not for good: a new subscription is notified.
#[test]
fn what_is_withdrawn_is_told_no_more_until_it_is_wanted_again() {
    let mut schedule = Schedule::new(POLICY);
    for sequence in [1, 2] {
        enter(&mut schedule, "t", "a.example", sequence);
    }
    let tries = all(&mut schedule);
    assert_eq!(
        settle(&mut schedule, &tries[0], DeliveryOutcome::Withdrawn, 0),
        0
    );
    assert_eq!((all(&mut schedule), schedule.pending()), (vec![], 0));
    assert_eq!(reached(&mut schedule), [QueuePosition::End]);
    enter(&mut schedule, "t", "a.example", 3);
    assert_eq!(names(&all(&mut schedule)), ["t:3"]);
}

#[test]
fn owners_take_turns_at_a_host_and_a_silent_one_too() {
    let mut schedule = Schedule::new(POLICY);
    for n in 0..300 {
        let task = format!("many-{n}");
        enter_for(&mut schedule, "many", &task, "a.example", n + 1);
    }
    for n in 0..2 {
        let task = format!("few-{n}");
        enter_for(&mut schedule, "few", &task, "a.example", n + 1);
    }
    let tries = all(&mut schedule);
    assert_eq!(
        names(&tries),
        ["few-0:1", "many-0:1", "few-1:2", "many-1:2"]
    );
    settle(&mut schedule, &tries[0], DeliveryOutcome::Delivered, 0);
    settle(&mut schedule, &tries[2], DeliveryOutcome::Delivered, 0);
    for one in &all(&mut schedule) {
        settle(&mut schedule, one, DeliveryOutcome::Silence, 0);
    }
    for one in [&tries[1], &tries[3]] {
        settle(&mut schedule, one, DeliveryOutcome::Silence, 0);
    }
    // A failed queue is ready again at once. An owner without responses delays no other owner, until
    // that one gets none either.
    enter_for(&mut schedule, "few", "few-2", "a.example", 400);
    let mut told = Vec::new();
    for _ in 0..5 {
        schedule.wake(u64::MAX);
        let tries = all(&mut schedule);
        for one in &tries {
            settle(&mut schedule, one, DeliveryOutcome::Silence, 0);
        }
        told.push(names(&tries).join(" "));
    }
    assert_eq!(
        told,
        [
            "few-2:400 many-4:5",
            "few-2:400",
            "many-5:6",
            "few-2:400",
            "many-6:7"
        ]
    );
}

/// A receiver that responds now and then, and otherwise keeps each attempt until its time limit,
/// takes half of its host's places, and one once it is silent.
#[test]
fn a_place_is_free_for_who_comes_to_a_host_where_another_waits_in_vain() {
    let mut schedule = Schedule::new(POLICY);
    let told = |schedule: &mut Schedule| names(&all(schedule)).join(" ");
    enter_for(&mut schedule, "ann", "slow", "a.example", 1);
    for n in 0..9 {
        enter_for(&mut schedule, "eve", &format!("eve-{n}"), "a.example", 2);
    }
    assert_eq!(told(&mut schedule), "slow:1 eve-0:2 eve-1:2");
    enter_for(&mut schedule, "ann", "next", "a.example", 3);
    assert_eq!(told(&mut schedule), "next:3");
    for n in 0..2 {
        let (eve, _) = queue(&format!("eve-{n}"), "a.example");
        let one = Arc::new(eve);
        schedule.settle(&one, DeliveryOutcome::Silence, 0, Timestamp::from_ms(2_000));
    }
    assert_eq!(told(&mut schedule), "eve-2:2");
    // The withdrawal of a configuration does not count as a response.
    let one = Arc::new(queue("eve-2", "a.example").0);
    schedule.settle(
        &one,
        DeliveryOutcome::Withdrawn,
        0,
        Timestamp::from_ms(2_000),
    );
    assert_eq!(told(&mut schedule), "eve-3:2");
    let one = Arc::new(queue("eve-3", "a.example").0);
    schedule.settle(&one, DeliveryOutcome::Refused, 0, Timestamp::from_ms(2_000));
    assert_eq!(told(&mut schedule), "eve-4:2 eve-5:2");
}

#[test]
fn who_answers_nothing_at_many_hosts_leaves_half_of_all_places() {
    let mut schedule = Schedule::new(POLICY);
    for n in 0..9 {
        enter(
            &mut schedule,
            &format!("dead-{n}"),
            &format!("{n}.example"),
            1,
        );
    }
    let mut tries = 0;
    for _ in 0..2 {
        let under_way = all(&mut schedule);
        tries = under_way.len();
        for one in &under_way {
            settle(&mut schedule, one, DeliveryOutcome::Silence, 0);
        }
        schedule.wake(u64::MAX);
    }
    assert_eq!(tries, 6, "three hosts are new");
    for _ in 0..9 {
        enter(&mut schedule, "new", "live.example", 2);
    }
    let under_way = all(&mut schedule);
    assert_eq!(under_way.len(), 4, "{under_way:?}");
    assert!(under_way.iter().any(|one| one.queue.url.contains("live")));
}

#[test]
fn an_owner_has_so_many_queues_and_room_again_when_one_is_settled() {
    let mut schedule = Schedule::new(POLICY);
    fill(&mut schedule);
    schedule.take_changed();
    let more = |schedule: &mut Schedule, task: &str| {
        let before = schedule.pending();
        let entered = enter_for(schedule, "ann", task, "a.example", 5_000);
        assert_eq!(schedule.pending(), before + usize::from(entered));
        entered
    };
    assert!(!more(&mut schedule, "more-00"));
    assert_eq!(reached(&mut schedule), [], "nothing to resume");
    // As after a start where the place of the queue was kept.
    schedule.not_kept(Arc::new(queue("more-00", "a.example").0));
    assert_eq!(reached(&mut schedule), [QueuePosition::End]);

    let one_of_them = format!("t-{:05}", queues_of_one() - 1);
    assert!(more(&mut schedule, &one_of_them));
    for (outcome, at, room) in [
        (DeliveryOutcome::Delivered, 2_000, true),
        (DeliveryOutcome::Refused, 2_000, false),
        (DeliveryOutcome::Silence, 2_000, false),
        (DeliveryOutcome::Gone, 2_000, true),
        (DeliveryOutcome::Withdrawn, 2_000, true),
        (DeliveryOutcome::Refused, 1_000 + POLICY.give_up_ms, true),
    ] {
        let one = schedule.next_try().unwrap();
        schedule.settle(&one.queue, outcome, 0, Timestamp::from_ms(at));
        let further = format!("{outcome:?}-{at}");
        assert_eq!(more(&mut schedule, &further), room, "{further}");
        assert!(!more(&mut schedule, "more-00"));
    }
    assert!(enter_for(
        &mut schedule,
        "bob",
        "of-bob",
        "a.example",
        5_000
    ));
}

#[test]
fn of_so_many_queues_it_is_remembered_that_nothing_more_is_wanted() {
    let mut schedule = Schedule::new(POLICY);
    let gone = |schedule: &mut Schedule| {
        let one = schedule.next_try().unwrap();
        settle(schedule, &one, DeliveryOutcome::Gone, 0);
    };
    fill(&mut schedule);
    for _ in 0..queues_of_one() {
        gone(&mut schedule);
    }
    assert_eq!(
        reached(&mut schedule),
        vec![QueuePosition::Gone; queues_of_one()]
    );
    for _ in 0..2 {
        enter(&mut schedule, "more-00", "a.example", 5_000);
        gone(&mut schedule);
        assert_eq!(
            reached(&mut schedule),
            [QueuePosition::End],
            "it is asked again"
        );
    }
    schedule.task_ended(&TaskId::new("t-00000"));
    assert_eq!(reached(&mut schedule), [QueuePosition::End]);
    enter(&mut schedule, "more-00", "a.example", 5_001);
    gone(&mut schedule);
    assert_eq!(reached(&mut schedule), [QueuePosition::Gone]);
}

#[test]
fn what_was_not_wanted_before_a_restart_is_remembered_of_so_many_queues_too() {
    let mut schedule = Schedule::new(POLICY);
    for n in 0..=queues_of_one() {
        schedule.enter_gone(queue(&format!("t-{n:05}"), "a.example").0);
    }
    assert_eq!(reached(&mut schedule), [QueuePosition::End]);
    enter(&mut schedule, "t-00000", "a.example", 1);
    assert_eq!(schedule.pending(), 0);
    let beyond = format!("t-{:05}", queues_of_one());
    enter(&mut schedule, &beyond, "a.example", 1);
    assert_eq!(schedule.pending(), 1);
}

#[test]
fn a_queue_has_so_many_changes_and_the_one_under_way_stays() {
    let mut schedule = Schedule::new(POLICY);
    for sequence in 1..=CHANGES_OF_ONE as u64 {
        enter(&mut schedule, "t", "a.example", sequence);
    }
    let one = schedule.next_try().unwrap();
    assert!(!enter_for(&mut schedule, "ann", "t", "a.example", 9_000));
    assert_eq!(schedule.pending(), CHANGES_OF_ONE);
    settle(&mut schedule, &one, DeliveryOutcome::Delivered, 0);
    assert_eq!(names(&all(&mut schedule)), ["t:3"]);
    assert_eq!(schedule.pending(), CHANGES_OF_ONE - 1);
}
