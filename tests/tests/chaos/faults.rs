//! The faults: each is done to a platform, and ends with all of it as before.
//!
//! Which one comes when, and how long it lasts, a seed decides. Read next: [`super::platform`].

use super::load::{assign, session};
use super::platform::{NAMES, Platform, TTL};
use super::record::Record;
use super::support::talk::Talk;
use harness::rng::SeededRng;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::block_in_place;
use tokio::time::{sleep, timeout};

/// A platform that nobody leads any more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unled;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// The node that leads is killed, and started again once another leads.
    KillLeader,
    /// The node that leads stands still for longer than its lease, and goes on then.
    StopLeader,
    /// PostgreSQL is killed, and its standby promoted.
    KillPrimary,
    /// PostgreSQL is started again at the moment at which another node would take the lead.
    RestartDuringTakeOver,
    /// The node that leads does not reach its database, and others do.
    CutDatabase,
    /// The node that leads is drained, and then started again.
    Drain,
    /// Connections of all nodes to the database are reset, some times.
    ResetDatabase,
    /// Nobody reaches the node that leads, for some seconds.
    CutChannel,
    /// Another node is asked to lead.
    Move,
    /// A node that stands by is killed, and started again.
    KillFollower,
    /// A node that stands by stands still for longer than a lease.
    StopFollower,
    /// The node that leads has a slow way to the database.
    SlowDatabase,
    /// Ways to the node that leads are slow.
    SlowChannel,
    /// The node that leads is asked to end, and started again.
    RestartLeader,
    /// PostgreSQL is started again, while all is well.
    RestartDatabase,
}

use Fault::{
    CutChannel, CutDatabase, Drain, KillFollower, KillLeader, KillPrimary, Move, ResetDatabase,
    RestartDatabase, RestartDuringTakeOver, RestartLeader, SlowChannel, SlowDatabase, StopFollower,
    StopLeader,
};

/// All kinds, those first of which the fewest would do.
pub(crate) const ALL: [Fault; 15] = [
    KillPrimary,
    StopLeader,
    RestartDuringTakeOver,
    CutChannel,
    Drain,
    CutDatabase,
    KillLeader,
    ResetDatabase,
    Move,
    KillFollower,
    SlowDatabase,
    RestartLeader,
    SlowChannel,
    StopFollower,
    RestartDatabase,
];

impl Fault {
    /// Its name in a report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            KillLeader => "kill-leader",
            StopLeader => "stop-leader",
            KillPrimary => "kill-primary",
            RestartDuringTakeOver => "restart-during-take-over",
            CutDatabase => "cut-database",
            Drain => "drain",
            ResetDatabase => "reset-database",
            CutChannel => "cut-channel",
            Move => "move",
            KillFollower => "kill-follower",
            StopFollower => "stop-follower",
            SlowDatabase => "slow-database",
            SlowChannel => "slow-channel",
            RestartLeader => "restart-leader",
            RestartDatabase => "restart-database",
        }
    }

    /// Does it, and waits until all is as before.
    pub(crate) async fn befall(
        self,
        on: &mut Platform,
        rng: &mut SeededRng,
        record: &Record,
    ) -> Result<(), Unled> {
        led(on, None).await?;
        // A leader that was in doubt may have ended after the fault before.
        on.is_whole().await;
        let leader = led(on, None).await?;
        let follower = (leader + 1 + rng.below(NAMES.len() - 1)) % NAMES.len();
        let mut some_ms = |least, most: usize| {
            let ms = least + rng.below(most - least);
            Duration::from_millis(ms as u64)
        };
        match self {
            KillLeader => {
                on.kill(leader).await;
                led(on, None).await?;
                on.run(leader).await;
            }
            KillFollower => {
                on.kill(follower).await;
                sleep(some_ms(100, 2_000)).await;
                on.run(follower).await;
            }
            StopLeader => {
                stop(on, leader, record).await?;
                on.ends(leader, 7).await;
                on.run(leader).await;
            }
            StopFollower => {
                on.signal(follower, "STOP").await;
                sleep(TTL + some_ms(500, 2_000)).await;
                on.signal(follower, "CONT").await;
            }
            KillPrimary => {
                on.kill_primary();
                on.promote();
                record.goes_on(50).await;
                on.follow();
            }
            RestartDuringTakeOver => {
                on.kill(leader).await;
                sleep(TTL - some_ms(200, 1_500)).await;
                let away = some_ms(300, 1_500);
                block_in_place(|| on.primary().restart(away));
                led(on, None).await?;
                on.run(leader).await;
            }
            RestartDatabase => block_in_place(|| on.primary().restart(some_ms(0, 2_000))),
            CutDatabase => {
                for way in on.ways(leader) {
                    way.part();
                }
                let led = led(on, Some(leader)).await;
                for way in on.ways(leader) {
                    way.join();
                }
                led?;
                on.ends(leader, 7).await;
                on.run(leader).await;
            }
            ResetDatabase => {
                for _ in 0..5 {
                    for way in (0..NAMES.len()).flat_map(|node| on.ways(node)) {
                        way.cut();
                    }
                    sleep(some_ms(20, 400)).await;
                }
            }
            SlowDatabase => {
                let by = some_ms(2, 25);
                for way in on.ways(leader) {
                    way.delay(by);
                }
                sleep(some_ms(1_000, 3_000)).await;
                for way in on.ways(leader) {
                    way.delay(Duration::ZERO);
                }
            }
            CutChannel => {
                on.channel(leader).part();
                sleep(some_ms(500, 4_000)).await;
                on.channel(leader).join();
            }
            SlowChannel => {
                on.channel(leader).delay(some_ms(5, 60));
                sleep(some_ms(1_000, 3_000)).await;
                on.channel(leader).delay(Duration::ZERO);
            }
            Drain => {
                let drained = on.asks(leader, &["cluster", "drain", NAMES[leader]]).await;
                if !drained {
                    record.refused("cluster drain");
                }
                led(on, drained.then_some(leader)).await?;
                // It takes no lead until it is started again.
                on.stop(leader).await;
                on.run(leader).await;
            }
            Move => {
                let moved = on.asks(leader, &["cluster", "move", NAMES[follower]]).await;
                if !moved {
                    record.refused("cluster move");
                }
                led(on, moved.then_some(leader)).await?;
            }
            RestartLeader => {
                on.stop(leader).await;
                led(on, None).await?;
                on.run(leader).await;
            }
        }
        led(on, None).await?;
        on.is_whole().await;
        Ok(())
    }
}

async fn led(on: &Platform, before: Option<usize>) -> Result<usize, Unled> {
    on.led_by_other_than(before).await.ok_or(Unled)
}

/// Has a leader stand still until another leads, and go on then: what it was asked meanwhile it must not answer.
async fn stop(on: &Platform, leader: usize, record: &Record) -> Result<(), Unled> {
    let place = on.place(leader).borrow().clone().ok_or(Unled)?;
    let mut talk = session(&place).await;
    let mut http = TcpStream::connect(&place.http).await.ok();
    on.signal(leader, "STOP").await;
    if let Some(talk) = &mut talk {
        talk.call(&assign("asked-of-who-stands-still"));
        let _ = talk.flush().await;
    }
    if let Some(http) = &mut http {
        let request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let _ = http.write_all(request.as_bytes()).await;
    }
    let led = led(on, Some(leader)).await;
    // A signal is pending once it is sent: on a busy machine a thread may answer before all of them stand still.
    let at_once = Duration::from_millis(100);
    let early = (
        answer(&mut talk, at_once).await,
        head(&mut http, at_once).await,
    );
    on.signal(leader, "CONT").await;
    led?;
    let late = (answer(&mut talk, TTL).await, head(&mut http, TTL).await);
    let found = [("NETCONF", early.0, late.0), ("HTTP", early.1, late.1)];
    for (protocol, early, late) in found {
        if let (None, Some(said)) = (early, late) {
            let node = NAMES[leader];
            record.wrong(format!(
                "{node} answered over {protocol} after its lease: {said}"
            ));
        }
    }
    Ok(())
}

/// What a session is told within a time.
async fn answer(talk: &mut Option<Talk>, within: Duration) -> Option<String> {
    let event = timeout(within, talk.as_mut()?.event()).await;
    Some(format!("{:?}", event.ok()?.ok()?))
}

/// How an answer over HTTP begins that comes within a time.
async fn head(http: &mut Option<TcpStream>, within: Duration) -> Option<String> {
    let mut bytes = [0; 64];
    match timeout(within, http.as_mut()?.read(&mut bytes)).await {
        Ok(Ok(count @ 1..)) => Some(String::from_utf8_lossy(&bytes[..count]).into_owned()),
        _ => None,
    }
}
