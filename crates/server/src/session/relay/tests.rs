//! Returns of a session, several at once.

use super::*;
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
    let telling: Telling = Box::new(|output, _, _| output);
    let saved = returning.map(|returning| (saved(), returning));
    let first = RequestKey {
        connection: 1,
        offset: 0,
    };
    let input = SessionInput { first, doubtful: 0 };
    let mut relay = Relay::new(saved, input, telling, Default::default(), (relayed, 0));
    relay.enter(7);
    relay
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
