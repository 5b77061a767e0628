//! Admission, closing for others, and the reserve.
#![allow(clippy::unwrap_used)]

use super::*;
use engine::UserLimits;

const LONG: Duration = Duration::from_secs(3_600);

fn admission(unauthenticated_max: usize, stale: Duration) -> Arc<Admission> {
    Admission::new(&HttpLimits {
        unauthenticated_max,
        unauthenticated_source_max: 3,
        reserve: 2,
        connections_max: 3,
        stale,
        ..HttpLimits::default()
    })
}

fn accounts(connections: usize) -> Accounts {
    Accounts::new(UserLimits {
        connections,
        ..UserLimits::default()
    })
}

fn of(host: u8) -> IpAddr {
    [192, 0, 2, host].into()
}

fn is_cut(permit: &ConnectionPermit) -> bool {
    let mut cut = std::pin::pin!(permit.cut());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    cut.as_mut().poll(&mut context).is_ready()
}

/// Many connections of one source shut out no other.
#[test]
fn many_of_a_source_make_room_for_others_and_not_for_their_own() {
    let admission = admission(4, LONG);
    let many: Vec<_> = (0..3).map(|_| admission.enter(of(1))).collect();
    let one_more = admission.enter(of(1));
    assert!(one_more.is_in_reserve(), "a source has its share");
    let others = [2, 3].map(|host| admission.enter(of(host)));
    assert!(others.iter().all(|other| !other.is_in_reserve()));
    let cut: Vec<bool> = many.iter().map(is_cut).collect();
    assert_eq!(cut, [true, false, false]);
    // Now there are two of one source, one each of two: nobody gains by going on.
    assert!(admission.enter(of(2)).is_in_reserve());
    drop(others);
    assert!(!admission.enter(of(2)).is_in_reserve());
}

#[test]
fn whoever_is_stale_makes_room_for_its_own() {
    let admission = admission(100, Duration::ZERO);
    let many: Vec<_> = (0..3).map(|_| admission.enter(of(1))).collect();
    let other = admission.enter(of(2));
    assert!(!admission.enter(of(1)).is_in_reserve());
    assert!(is_cut(&many[0]) && !is_cut(&many[1]) && !is_cut(&other));
}

#[test]
fn the_newest_always_gets_into_the_reserve() {
    let admission = admission(1, LONG);
    let _first = admission.enter(of(1));
    let [one, two, three] = [1, 1, 1].map(|host| admission.enter(of(host)));
    assert!(is_cut(&one) && !is_cut(&two) && !is_cut(&three));
    let _other = admission.enter(of(2));
    assert!(
        is_cut(&two) && !is_cut(&three),
        "the oldest of those who have most"
    );
}

/// Authenticated connections take no places of unauthenticated ones, in the reserve too.
#[test]
fn whoever_has_authenticated_counts_for_himself() {
    let (admission, accounts) = (admission(1, LONG), accounts(100));
    let permits = [1, 1, 1].map(|host| admission.enter(of(host)));
    for permit in &permits {
        assert_eq!(permit.authenticate("noc", &accounts), Ok(true));
        assert_eq!(permit.authenticate("noc", &accounts), Ok(false));
        assert!(!permit.is_in_reserve() && !is_cut(permit));
    }
    let fourth = admission.enter(of(1));
    assert!(!fourth.is_in_reserve());
    let full = fourth.authenticate("noc", &accounts);
    assert_eq!((full, fourth.is_of_user()), (Err(Full::Connections), false));
    assert_eq!(accounts.connections("noc").of_user(), 3);
    drop(permits);
    assert_eq!(fourth.authenticate("noc", &accounts), Ok(true));
    assert_eq!(accounts.connections("noc").of_user(), 1);
}

#[test]
fn a_user_has_so_many_connections_and_others_have_theirs() {
    let (admission, accounts) = (admission(100, LONG), accounts(1));
    let [first, second] = [1, 1].map(|host| admission.enter(of(host)));
    assert_eq!(first.authenticate("noc", &accounts), Ok(true));
    assert_eq!(second.authenticate("noc", &accounts), Err(Full::OfUser));
    assert_eq!(second.authenticate("ann", &accounts), Ok(true));
    // On one that several use it is the last of them who counts.
    assert_eq!(first.authenticate("ann", &accounts), Err(Full::OfUser));
    assert_eq!(first.authenticate("noc", &accounts), Ok(false));
    assert_eq!(first.authenticate("bob", &accounts), Ok(true));
    assert_eq!(second.authenticate("noc", &accounts), Ok(true));
    assert_eq!(accounts.connections("ann").of_user(), 0);
}
