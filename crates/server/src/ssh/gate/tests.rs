//! The gate without SSH: admission, waiting, refusal.

#![allow(clippy::unwrap_used)]

use std::net::Ipv4Addr;

use super::*;

fn source(last: u8) -> Source {
    Source::of(IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)))
}

fn gate(most: usize, of_one_source: usize) -> Arc<Gate> {
    Gate::new(SshLimits {
        unauthenticated_max: most,
        unauthenticated_source_max: of_one_source,
        waiting_max: 4,
        waiting_source_max: 3,
        stale: Duration::ZERO,
        ..SshLimits::default()
    })
}

fn enter(gate: &Arc<Gate>, last: u8) -> Slot {
    match gate.knock(source(last), Weak::new()) {
        Knock::Admitted(slot) => slot,
        _ => panic!("not admitted"),
    }
}

fn wait(gate: &Arc<Gate>, last: u8) -> oneshot::Receiver<Slot> {
    match gate.knock(source(last), Weak::new()) {
        Knock::Waiting(turn) => turn,
        _ => panic!("does not wait"),
    }
}

fn is_refused(gate: &Arc<Gate>, last: u8) -> bool {
    matches!(gate.knock(source(last), Weak::new()), Knock::Refused)
}

#[test]
fn a_slot_that_is_left_goes_to_the_first_who_waits() {
    let gate = gate(1, 1);
    let slot = enter(&gate, 1);
    let (mut second, mut third) = (wait(&gate, 1), wait(&gate, 1));
    slot.excuse();
    let slot = second.try_recv().unwrap();
    assert!(third.try_recv().is_err());
    slot.excuse();
    third.try_recv().unwrap();
}

#[test]
fn one_source_leaves_room_for_another() {
    let gate = gate(3, 2);
    let _first = (enter(&gate, 1), enter(&gate, 1));
    let _waits = wait(&gate, 1);
    let _other = enter(&gate, 2);
}

#[test]
fn sources_are_served_in_turn_and_not_by_the_length_of_their_queue() {
    let gate = gate(1, 1);
    let slot = enter(&gate, 1);
    let mut crowd = [wait(&gate, 1), wait(&gate, 1), wait(&gate, 1)];
    let mut other = wait(&gate, 2);
    slot.excuse();
    crowd[0].try_recv().unwrap().excuse();
    other.try_recv().unwrap().excuse();
    crowd[1].try_recv().unwrap().excuse();
}

#[test]
fn queues_end_somewhere() {
    let gate = gate(1, 1);
    let _slot = enter(&gate, 1);
    let _queue = [wait(&gate, 1), wait(&gate, 1), wait(&gate, 1)];
    assert!(is_refused(&gate, 1));
    let _other = wait(&gate, 2);
    assert!(is_refused(&gate, 3));
    assert_eq!(gate.counts().waiting, 4);
    assert_eq!(gate.counts().refused, 2);
}

#[test]
fn who_gave_up_waiting_holds_nothing() {
    let gate = gate(1, 1);
    let slot = enter(&gate, 1);
    drop(wait(&gate, 1));
    let mut patient = wait(&gate, 1);
    slot.excuse();
    patient.try_recv().unwrap().excuse();
    assert_eq!(gate.counts().unauthenticated, 0);
}

#[test]
fn the_twenty_first_failure_within_a_second_refuses_the_source_alone() {
    let gate = gate(100, 100);
    let mut slots: Vec<Slot> = (0..21).map(|_| enter(&gate, 1)).collect();
    let last = slots.pop().unwrap();
    drop(slots);
    enter(&gate, 1).excuse();
    drop(last);
    assert!(is_refused(&gate, 1));
    enter(&gate, 2).excuse();
    assert_eq!(gate.counts().failed, 21);
}

#[test]
fn a_failed_try_and_its_connection_count_once() {
    let gate = gate(100, 100);
    let mut slot = enter(&gate, 1);
    slot.failed();
    drop(slot);
    enter(&gate, 1).excuse();
    assert_eq!(gate.counts().failed, 1);
}

#[test]
fn a_stale_handshake_makes_room_for_one_who_waits() {
    let gate = gate(1, 1);
    let stale = enter(&gate, 1);
    let mut patient = wait(&gate, 2);
    gate.make_room();
    let slot = patient.try_recv().unwrap();
    drop(stale);
    assert_eq!(gate.counts().unauthenticated, 1);
    assert_eq!(gate.counts().failed, 1);
    slot.excuse();
}

#[test]
fn a_stale_handshake_stays_when_nobody_waits() {
    let gate = gate(1, 1);
    let _stale = enter(&gate, 1);
    gate.make_room();
    assert_eq!(gate.counts().unauthenticated, 1);
}

#[test]
fn sessions_end_at_their_cap_and_are_given_back() {
    let gate = Gate::new(SshLimits {
        sessions_max: 1,
        ..SshLimits::default()
    });
    let permit = gate.session().unwrap();
    assert!(gate.session().is_none());
    drop(permit);
    assert!(gate.session().is_some());
}

#[test]
fn an_ipv6_network_and_a_mapped_ipv4_address_are_one_source() {
    let of = |text: &str| Source::of(text.parse().unwrap());
    assert_eq!(of("2001:db8::1"), of("2001:db8::ffff"));
    assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
    assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
}
