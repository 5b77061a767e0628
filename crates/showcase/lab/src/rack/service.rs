//! The rack's socket: who may ask, and how each request is answered.
//!
//! The socket belongs to the user of the management system and nobody else may open it. Each
//! connection has a thread; there are few at once, and lines are bounded in length and time: who
//! asks nothing for a while, sends what is no line, or does not read its answer is hung up on. Read
//! next: [`super::protocol`], [`super::line`].

use super::device;
use super::line::{LineBounds, read_line, write_line};
use super::parameters;
use super::protocol::{LINE_WITHIN, REQUEST_MAX, RackAnswer, RackRequest};
use super::traffic::{Traffic, TrafficCounts};
use crate::bring_up::Laboratory;
use crate::error::LabError;
use rustix::fs::{Mode, chmod, chown};
use rustix::process::{Gid, Uid};
use std::io::BufReader;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The most connections at once.
const CONNECTIONS_MAX: usize = 32;
/// What a request may be, and how long a connection may be idle.
const REQUEST: LineBounds = LineBounds {
    bytes: REQUEST_MAX,
    first: Duration::from_secs(60),
    whole: LINE_WITHIN,
};

/// A rack that can be asked.
#[derive(Clone)]
pub struct Rack {
    lab: Arc<Laboratory>,
    counts: Arc<Mutex<TrafficCounts>>,
    /// One router is configured or switched at a time.
    acting: Arc<Mutex<()>>,
}

impl Rack {
    /// The rack of a laboratory, whose traffic begins to flow.
    ///
    /// # Errors
    /// [`LabError::File`] if the namespaces cannot be entered.
    pub fn start(lab: Laboratory) -> Result<Self, LabError> {
        let traffic = Traffic::open(&lab.plan)?;
        let counts = traffic.counts();
        std::thread::spawn(move || traffic.flow());
        Ok(Self {
            lab: Arc::new(lab),
            counts,
            acting: Arc::default(),
        })
    }

    /// Answers a request.
    pub fn answer(&self, request: &RackRequest) -> RackAnswer {
        let plan = &self.lab.plan;
        let place = |router: &String| {
            let found = plan.router_named(router);
            found.ok_or_else(|| RackAnswer::Refused(format!("there is no router '{router}'")))
        };
        let answered = || -> Result<RackAnswer, RackAnswer> {
            Ok(match request {
                RackRequest::State { router } => device::state(&plan.namespace(place(router)?))
                    .map_or_else(refusal, RackAnswer::State),
                RackRequest::Configuration { router } => {
                    device::configuration(&plan.namespace(place(router)?))
                        .map_or_else(refusal, RackAnswer::Configuration)
                }
                RackRequest::Configure {
                    router,
                    parameter,
                    value,
                } => {
                    let namespace = plan.namespace(place(router)?);
                    let _one = self.acting.lock().expect("no holder panics");
                    parameters::set(&namespace, parameter, value, &self.lab.folder)
                        .map_or_else(refusal, |()| RackAnswer::Done)
                }
                RackRequest::Restart { router } => {
                    let namespace = plan.namespace(place(router)?);
                    let _one = self.acting.lock().expect("no holder panics");
                    device::restart(&namespace, &self.lab.folder)
                        .map_or_else(refusal, |()| RackAnswer::Done)
                }
                RackRequest::Probes => {
                    let counts = self.counts.lock().expect("no holder panics");
                    RackAnswer::Probes(counts.report())
                }
            })
        };
        answered().unwrap_or_else(|refused| refused)
    }

    /// Answers whoever may open the socket, until the process is ended.
    ///
    /// # Errors
    /// [`LabError::File`] if the socket cannot be made.
    pub fn serve(&self, user: u32) -> Result<(), LabError> {
        let socket = self.lab.folder.socket();
        let failed = |e| LabError::file(&socket, e);
        let _ = std::fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket).map_err(failed)?;
        chmod(&socket, Mode::from_raw_mode(0o600)).map_err(|e| failed(e.into()))?;
        let (uid, gid) = (Uid::from_raw(user), Gid::from_raw(user));
        chown(&socket, Some(uid), Some(gid)).map_err(|e| failed(e.into()))?;
        let pid = std::process::id().to_string();
        self.lab.folder.write("rack.pid", &pid, 0o644)?;
        let open = Arc::new(AtomicUsize::new(0));
        for stream in listener.incoming().flatten() {
            if open.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS_MAX {
                open.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let (rack, open) = (self.clone(), Arc::clone(&open));
            std::thread::spawn(move || {
                // A caller that breaks off has its answer, or wants none.
                let _ = rack.converse(stream);
                open.fetch_sub(1, Ordering::Relaxed);
            });
        }
        Ok(())
    }

    fn converse(&self, stream: UnixStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream);
        while let Some(line) = read_line(&mut reader, REQUEST)? {
            let answer = match serde_json::from_str::<RackRequest>(&line) {
                Ok(request) => self.answer(&request),
                Err(wrong) => RackAnswer::Refused(wrong.to_string()),
            };
            let text = serde_json::to_string(&answer)?;
            write_line(reader.get_mut(), &text, LINE_WITHIN)?;
        }
        Ok(())
    }
}

fn refusal(error: LabError) -> RackAnswer {
    match error {
        LabError::Silent { daemon, .. } if daemon == "zebra" => RackAnswer::Unreachable,
        other => RackAnswer::Refused(other.to_string()),
    }
}
