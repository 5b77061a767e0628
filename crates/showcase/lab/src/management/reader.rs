//! The threads that read the laboratory, again and again.
//!
//! A few read the routers side by side, so that one which does not answer delays few others. Read
//! next: [`super::snapshot`].

use super::snapshot::Snapshot;
use crate::documents::Documents;
use crate::rack::client::RackClient;
use crate::rack::protocol::{DeviceState, RackAnswer, RackRequest};
use domain::time::Timestamp;
use server::clock::Clock;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use tracing::warn;

/// The threads that read routers.
const READERS: usize = 4;
/// From one reading to the next, at least.
const EACH: Duration = Duration::from_millis(1_000);

/// What reads.
pub(crate) struct Reader {
    documents: Documents,
    socket: PathBuf,
    clock: Arc<Clock>,
}

impl Reader {
    pub(crate) fn new(documents: Documents, socket: &Path, clock: Arc<Clock>) -> Self {
        Self {
            documents,
            socket: socket.to_owned(),
            clock,
        }
    }

    /// Reads until nobody wants it any more.
    pub(crate) fn start(self, to: Sender<Snapshot>) {
        std::thread::spawn(move || {
            loop {
                let began = Instant::now();
                let snapshot = self.read();
                if to.send(snapshot).is_err() {
                    return;
                }
                std::thread::sleep(EACH.saturating_sub(began.elapsed()));
            }
        });
    }

    fn read(&self) -> Snapshot {
        let names: Vec<&String> = self.documents.routers.iter().map(|r| &r.name).collect();
        let share = names.len().div_ceil(READERS).max(1);
        let at: Timestamp = self.clock.now();
        let mut routers = BTreeMap::new();
        std::thread::scope(|scope| {
            let readers = names.chunks(share).map(|names| {
                scope.spawn(move || {
                    let mut rack = RackClient::over(&self.socket);
                    let read = names
                        .iter()
                        .map(|name| ((*name).clone(), state(&mut rack, name)));
                    read.collect::<Vec<_>>()
                })
            });
            let readers: Vec<_> = readers.collect();
            for reader in readers {
                routers.extend(reader.join().unwrap_or_default());
            }
        });
        let probes = RackClient::over(&self.socket).ask(&RackRequest::Probes);
        let probes = match probes {
            Ok(RackAnswer::Probes(report)) => report,
            _ => Default::default(),
        };
        Snapshot {
            at,
            routers,
            probes,
        }
    }
}

fn state(rack: &mut RackClient, router: &str) -> Option<DeviceState> {
    let router = router.to_owned();
    match rack.ask(&RackRequest::State { router }) {
        Ok(RackAnswer::State(state)) => Some(state),
        Ok(_) => None,
        Err(cause) => {
            warn!("the rack does not answer: {cause}");
            None
        }
    }
}
