//! The gate without SSH: admission, waiting, refusal.

#![allow(clippy::unwrap_used)]

use std::net::Ipv4Addr;

use super::*;

fn source(last: u8) -> Source {
    Source::of(IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)))
}

fn limiter(most: usize, of_one_source: usize) -> Arc<ConnectionLimiter> {
    ConnectionLimiter::new(SshLimits {
        unauthenticated_max: most,
        unauthenticated_source_max: of_one_source,
        waiting_max: 4,
        waiting_source_max: 3,
        stale: Duration::ZERO,
        ..SshLimits::default()
    })
}

fn enter(limiter: &Arc<ConnectionLimiter>, last: u8) -> AdmissionPermit {
    match limiter.knock(source(last), Weak::new()) {
        Admission::Admitted(admission) => admission,
        _ => panic!("not admitted"),
    }
}

fn wait(limiter: &Arc<ConnectionLimiter>, last: u8) -> oneshot::Receiver<AdmissionPermit> {
    match limiter.knock(source(last), Weak::new()) {
        Admission::Waiting(turn) => turn,
        _ => panic!("does not wait"),
    }
}

fn is_refused(limiter: &Arc<ConnectionLimiter>, last: u8) -> bool {
    matches!(limiter.knock(source(last), Weak::new()), Admission::Refused)
}

#[test]
fn a_slot_that_is_left_goes_to_the_first_who_waits() {
    let limiter = limiter(1, 1);
    let admission = enter(&limiter, 1);
    let (mut second, mut third) = (wait(&limiter, 1), wait(&limiter, 1));
    admission.excuse();
    let admission = second.try_recv().unwrap();
    assert!(third.try_recv().is_err());
    admission.excuse();
    third.try_recv().unwrap();
}

#[test]
fn one_source_leaves_room_for_another() {
    let limiter = limiter(3, 2);
    let _first = (enter(&limiter, 1), enter(&limiter, 1));
    let _waits = wait(&limiter, 1);
    let _other = enter(&limiter, 2);
}

#[test]
fn sources_are_served_in_turn_and_not_by_the_length_of_their_queue() {
    let limiter = limiter(1, 1);
    let admission = enter(&limiter, 1);
    let mut crowd = [wait(&limiter, 1), wait(&limiter, 1), wait(&limiter, 1)];
    let mut other = wait(&limiter, 2);
    admission.excuse();
    crowd[0].try_recv().unwrap().excuse();
    other.try_recv().unwrap().excuse();
    crowd[1].try_recv().unwrap().excuse();
}

#[test]
fn queues_end_somewhere() {
    let limiter = limiter(1, 1);
    let _slot = enter(&limiter, 1);
    let _queue = [wait(&limiter, 1), wait(&limiter, 1), wait(&limiter, 1)];
    assert!(is_refused(&limiter, 1));
    let _other = wait(&limiter, 2);
    assert!(is_refused(&limiter, 3));
    assert_eq!(limiter.counts().waiting, 4);
    assert_eq!(limiter.counts().refused, 2);
}

#[test]
fn who_gave_up_waiting_holds_nothing() {
    let limiter = limiter(1, 1);
    let admission = enter(&limiter, 1);
    drop(wait(&limiter, 1));
    let mut patient = wait(&limiter, 1);
    admission.excuse();
    patient.try_recv().unwrap().excuse();
    assert_eq!(limiter.counts().unauthenticated, 0);
}

#[test]
fn the_twenty_first_failure_within_a_second_refuses_the_source_alone() {
    let limiter = limiter(100, 100);
    let mut slots: Vec<AdmissionPermit> = (0..21).map(|_| enter(&limiter, 1)).collect();
    let last = slots.pop().unwrap();
    drop(slots);
    enter(&limiter, 1).excuse();
    drop(last);
    assert!(is_refused(&limiter, 1));
    enter(&limiter, 2).excuse();
    assert_eq!(limiter.counts().failed, 21);
}

#[test]
fn a_failed_try_and_its_connection_count_once() {
    let limiter = limiter(100, 100);
    let mut admission = enter(&limiter, 1);
    admission.failed();
    drop(admission);
    enter(&limiter, 1).excuse();
    assert_eq!(limiter.counts().failed, 1);
}

#[test]
fn a_stale_handshake_makes_room_for_one_who_waits() {
    let limiter = limiter(1, 1);
    let stale = enter(&limiter, 1);
    let mut patient = wait(&limiter, 2);
    limiter.make_room();
    let admission = patient.try_recv().unwrap();
    drop(stale);
    assert_eq!(limiter.counts().unauthenticated, 1);
    assert_eq!(limiter.counts().failed, 1);
    admission.excuse();
}

#[test]
fn a_stale_handshake_stays_when_nobody_waits() {
    let limiter = limiter(1, 1);
    let _stale = enter(&limiter, 1);
    limiter.make_room();
    assert_eq!(limiter.counts().unauthenticated, 1);
}

#[test]
fn sessions_end_at_their_cap_and_are_given_back() {
    let limiter = ConnectionLimiter::new(SshLimits {
        sessions_max: 1,
        ..SshLimits::default()
    });
    let permit = limiter.session().unwrap();
    assert!(limiter.session().is_none());
    drop(permit);
    assert!(limiter.session().is_some());
}

#[test]
fn an_ipv6_network_and_a_mapped_ipv4_address_are_one_source() {
    let of = |text: &str| Source::of(text.parse().unwrap());
    assert_eq!(of("2001:db8::1"), of("2001:db8::ffff"));
    assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
    assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
}
