//! The victim: one session of the operator, one request at a time.
//!
//! Read next: `figures`.

use crate::platform::{OPERATOR, Place};
use crate::wire::{Wire, WireError, request};
use server::ssh::{ConnectError, Connector};
use std::error::Error;
use std::time::{Duration, Instant};

/// The time limit of a reply, as which a slower one counts; ends the measurement.
pub(crate) const AT_MOST: Duration = Duration::from_secs(10);

const QUESTION: &str = "<get><filter type=\"subtree\"><registry xmlns=\"urn:convoke:params:xml:ns:yang:convoke-registry\">\
                        <agent><name>TMF-Convoke-OSS-1.0.0</name><domain/></agent></registry></filter></get>";

/// The latencies of the replies, sorted.
#[derive(Debug)]
pub(crate) struct Waits(Vec<Duration>);

impl Waits {
    /// The percentile at `share` (0 to 1), in microseconds.
    pub(crate) fn percentile_us(&self, share: f64) -> f64 {
        let place = (self.0.len().saturating_sub(1) as f64 * share).round() as usize;
        self.0
            .get(place)
            .map_or(f64::NAN, |w| w.as_secs_f64() * 1e6)
    }

    /// True if a reply did not come.
    pub(crate) fn is_stopped(&self) -> bool {
        self.0.last().is_some_and(|w| *w >= AT_MOST)
    }
}

/// Opens a session and sends requests until the window is over, without pause or with one between
/// two.
pub(crate) async fn ask(
    place: &Place,
    window: Duration,
    pause: Option<Duration>,
) -> Result<Waits, Box<dyn Error>> {
    let target = place.target(OPERATOR)?;
    let connector = Connector::new(1, AT_MOST);
    let begun = Instant::now();
    let opened = tokio::time::timeout(AT_MOST, Wire::open(&connector, &target)).await;
    let mut wire = match opened {
        Ok(Ok(wire)) => wire,
        Err(_) | Ok(Err(WireError::Connect(ConnectError::TimedOut { .. }))) => {
            return Ok(Waits(vec![begun.elapsed().max(AT_MOST)]));
        }
        Ok(Err(other)) => return Err(other.into()),
    };
    let framed = request(1, QUESTION);
    let mut waits = Vec::with_capacity(100_000);
    let begun = Instant::now();
    while begun.elapsed() < window {
        if let Some(pause) = pause {
            tokio::time::sleep(pause).await;
        }
        let asked = Instant::now();
        match tokio::time::timeout(AT_MOST, wire.call(&framed)).await {
            Ok(reply) => {
                reply?;
                waits.push(asked.elapsed());
            }
            Err(_) => {
                waits.push(AT_MOST);
                break;
            }
        }
    }
    waits.sort_unstable();
    Ok(Waits(waits))
}
