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

fn forwarded(sessions: &Arc<ForwardedSessions>, returning: Option<Returning>) -> ForwardedSession {
    let saved = returning.map(|returning| (saved(), returning));
    entered(sessions, saved, 7, None)
}

fn entered(
    sessions: &Arc<ForwardedSessions>,
    saved: Option<(SavedSession, Returning)>,
    number: u32,
    node: Option<&str>,
) -> ForwardedSession {
    let telling: Telling = Box::new(|output, _, _| output);
    let first = RequestKey {
        connection: 1,
        offset: 0,
    };
    let input = SessionInput { first, doubtful: 0 };
    let of = (sessions, 0, node.map(str::to_owned));
    let mut forwarded = ForwardedSession::new(saved, input, telling, Default::default(), of);
    forwarded.enter(number);
    forwarded
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
    let sessions = Arc::default();
    let mut all = [(1, Some("b")), (2, Some("b")), (3, Some("c")), (4, None)]
        .map(|(number, node)| entered(&sessions, None, number, node));
    assert!(sessions.subscribers().is_empty(), "nobody is subscribed");
    for forwarded in &mut all {
        forwarded.told(Vec::new(), mark(Some(10)), Last::No);
    }
    // What is handed out is told once the next step comes without output.
    all[0].told(b"14".to_vec(), mark(Some(14)), Last::No);
    all[1].told(b"12".to_vec(), mark(Some(12)), Last::No);
    all[1].told(Vec::new(), mark(Some(12)), Last::No);
    let told =
        |sessions: &ForwardedSessions| sessions.subscribers().into_iter().collect::<Vec<_>>();
    let both = |of_b| vec![("b".to_owned(), of_b), ("c".to_owned(), (1, 10))];
    assert_eq!(told(&sessions), both((2, 10)));
    all[0].told(b"15".to_vec(), mark(Some(15)), Last::No);
    assert_eq!(told(&sessions), both((2, 12)));
    // One that ends its subscription is none any more.
    all[1].told(Vec::new(), mark(None), Last::No);
    assert_eq!(told(&sessions), both((1, 14)));
    drop(all);
    assert!(sessions.subscribers().is_empty(), "all are gone");
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
    let sessions = Arc::default();
    let first = forwarded(&sessions, None);
    let [mut second, mut third]: [Return<'_>; 2] =
        [1, 2].map(|attempt| Box::pin(sessions.returns(7, attempt)) as Return<'_>);
    assert!(by_now(&mut second).is_none() && by_now(&mut third).is_none());
    first.leaves().await;
    first.goes_on();
    drop(first);
    let returning = by_now(&mut second).unwrap().unwrap();
    assert!(by_now(&mut third).is_none());
    let second = forwarded(&sessions, Some(returning));
    assert!(by_now(&mut third).is_none());
    second.leaves().await;
    second.goes_on();
    drop(second);
    let third = forwarded(&sessions, Some(by_now(&mut third).unwrap().unwrap()));
    // One that its node began before.
    let late = sessions.returns(7, 1).await;
    assert_eq!(late.err(), Some(CannotReturn::Outdated));
    drop(third);
    // That one did not go on elsewhere.
    let after = sessions.returns(7, 3).await;
    assert_eq!(after.err(), Some(CannotReturn::Over));
}

#[tokio::test]
async fn a_return_that_is_given_up_makes_way() {
    let sessions: Arc<ForwardedSessions> = Arc::default();
    let given_up = sessions.returns(7, 1).await.unwrap();
    let mut next: Return<'_> = Box::pin(sessions.returns(7, 2));
    assert!(by_now(&mut next).is_none());
    drop(given_up);
    let next = by_now(&mut next).unwrap().unwrap();
    assert!(!sessions.is_over(7));
    next.end();
    assert!(sessions.is_over(7));
    assert!(sessions.lock().returning.is_empty());
}
