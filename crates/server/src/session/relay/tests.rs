//! Returns of a session, several at once.

use super::*;
use bindings::netconf::SavedSubscription;
use domain::negotiation::RequestKey;
use std::pin::Pin;
use std::task::{Context, Waker};

fn saved() -> SavedSession {
    SavedSession {
        id: 7,
        begun: Timestamp::from_ms(0),
        framing: None,
        locked: false,
        subscription: None,
    }
}

fn relay(relayed: &Arc<Relayed>, returning: Option<Returning>) -> Relay {
    let saved = returning.map(|returning| (saved(), returning));
    entered(relayed, saved, 7, None)
}

fn entered(
    relayed: &Arc<Relayed>,
    saved: Option<(SavedSession, Returning)>,
    number: u32,
    node: Option<&str>,
) -> Relay {
    let telling: Telling = Box::new(|output, _, _| output);
    let first = RequestKey {
        connection: 1,
        offset: 0,
    };
    let input = SessionInput { first, doubtful: 0 };
    let of = (relayed, 0, node.map(str::to_owned));
    let mut relay = Relay::new(saved, input, telling, Default::default(), of);
    relay.enter(number);
    relay
}

/// How far a session is that has a subscription up to this entry, or none.
fn mark(cursor: Option<Sequence>) -> SessionMark {
    let subscription = cursor.map(|cursor| SavedSubscription {
        request: "<create-subscription/>".into(),
        cursor,
        replay_until: None,
    });
    SessionMark {
        answered: 0,
        saved: Some(SavedSession {
            subscription,
            ..saved()
        }),
    }
}

#[test]
fn subscribers_are_told_what_is_written_and_the_slowest_counts() {
    let relayed = Arc::default();
    let mut relays = [(1, Some("b")), (2, Some("b")), (3, Some("c")), (4, None)]
        .map(|(number, node)| entered(&relayed, None, number, node));
    assert!(relayed.subscribers().is_empty(), "nobody is subscribed");
    for relay in &mut relays {
        relay.told(Vec::new(), mark(Some(10)), Last::No);
    }
    // What is handed out is told once the next step comes without output.
    relays[0].told(b"14".to_vec(), mark(Some(14)), Last::No);
    relays[1].told(b"12".to_vec(), mark(Some(12)), Last::No);
    relays[1].told(Vec::new(), mark(Some(12)), Last::No);
    let told = |relayed: &Relayed| relayed.subscribers().into_iter().collect::<Vec<_>>();
    let both = |of_b| vec![("b".to_owned(), of_b), ("c".to_owned(), (1, 10))];
    assert_eq!(told(&relayed), both((2, 10)));
    relays[0].told(b"15".to_vec(), mark(Some(15)), Last::No);
    assert_eq!(told(&relayed), both((2, 12)));
    // One that ends its subscription is none any more.
    relays[1].told(Vec::new(), mark(None), Last::No);
    assert_eq!(told(&relayed), both((1, 14)));
    drop(relays);
    assert!(relayed.subscribers().is_empty(), "all are gone");
}

type Return<'f> = Pin<Box<dyn Future<Output = Result<Returning, CannotReturn>> + 'f>>;

/// What a return has come to by now; none if it waits.
fn by_now(returning: &mut Return<'_>) -> Option<Result<Returning, CannotReturn>> {
    match returning
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        std::task::Poll::Ready(outcome) => Some(outcome),
        std::task::Poll::Pending => None,
    }
}

#[tokio::test]
async fn two_that_return_at_once_do_so_one_after_the_other() {
    let relayed = Arc::default();
    let first = relay(&relayed, None);
    let [mut second, mut third]: [Return<'_>; 2] =
        [1, 2].map(|attempt| Box::pin(relayed.returns(7, attempt)) as Return<'_>);
    assert!(by_now(&mut second).is_none() && by_now(&mut third).is_none());
    first.leaves().await;
    first.goes_on();
    drop(first);
    let returning = by_now(&mut second).unwrap().unwrap();
    assert!(by_now(&mut third).is_none());
    let second = relay(&relayed, Some(returning));
    assert!(by_now(&mut third).is_none());
    second.leaves().await;
    second.goes_on();
    drop(second);
    let third = relay(&relayed, Some(by_now(&mut third).unwrap().unwrap()));
    // One that its node began before.
    let late = relayed.returns(7, 1).await;
    assert_eq!(late.err(), Some(CannotReturn::Outdated));
    drop(third);
    // That one did not go on elsewhere.
    let after = relayed.returns(7, 3).await;
    assert_eq!(after.err(), Some(CannotReturn::Over));
}

#[tokio::test]
async fn a_return_that_is_given_up_makes_way() {
    let relayed: Arc<Relayed> = Arc::default();
    let given_up = relayed.returns(7, 1).await.unwrap();
    let mut next: Return<'_> = Box::pin(relayed.returns(7, 2));
    assert!(by_now(&mut next).is_none());
    drop(given_up);
    let next = by_now(&mut next).unwrap().unwrap();
    assert!(!relayed.is_over(7));
    next.end();
    assert!(relayed.is_over(7));
    assert!(relayed.lock().returning.is_empty());
}
