//! The threads on which hosted agents step.
//!
//! The threads only run steps: at low priority and with a core left free ([`crate::background`]);
//! decisions are made elsewhere. A task of the runtime hands an agent's turn to one of them and
//! takes the outputs of each step. A slow agent delays only itself and one thread: a turn ends
//! after a while, so that other agents have theirs, and a thread whose step does not return in time
//! is abandoned and replaced. Read next: `engine::Engine::next_turn`.

use crate::background;
use crate::clock::Clock;
use engine::{Engine, Stepped, Stepping, Turn};
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::error::SendError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tracing::error;

/// The longest time for steps under way to end when the threads are stopped.
const END: Duration = Duration::from_secs(1);

/// The most steps of a turn; a time limit may end it earlier.
const TURN_STEPS: usize = 256;
const TURN: Duration = Duration::from_millis(5);

/// The threads; they stop when it is dropped.
pub struct AgentWorkers {
    engine: Arc<Engine>,
    clock: Arc<Clock>,
    stop: Option<oneshot::Sender<()>>,
    dispatch: JoinHandle<()>,
}

/// Hands out turns and takes the outputs of their steps.
struct Dispatch {
    engine: Arc<Engine>,
    clock: Arc<Clock>,
    threads: Threads,
    stepped: mpsc::UnboundedReceiver<Stepped>,
    /// The number of threads that wait for a turn.
    idle: usize,
    /// The number of turns under way, without abandoned ones.
    running: usize,
    /// The number of abandoned steps whose threads were replaced.
    replaced: u64,
    /// The number of replacement threads that could not be started.
    missing: usize,
}

/// The threads' ends of the channels: turns go in, the outputs of their steps come out.
struct Threads {
    /// The turns; a thread that receives none ends.
    turns: Sender<Option<Turn>>,
    next: Arc<Mutex<Receiver<Option<Turn>>>>,
    stepped: mpsc::UnboundedSender<Stepped>,
}

impl AgentWorkers {
    /// Starts as many threads as there are background cores; agents step on them from now on.
    ///
    /// # Errors
    /// If the system cannot start a thread; agents then step one after the other, as before.
    ///
    /// # Panics
    /// Outside of an asynchronous runtime.
    pub fn start(engine: &Arc<Engine>, clock: &Arc<Clock>) -> io::Result<Self> {
        let (turns, next) = channel();
        let (sender, stepped) = mpsc::unbounded_channel();
        let threads = Threads {
            turns,
            next: Arc::new(Mutex::new(next)),
            stepped: sender,
        };
        let idle = background::cores().get();
        for _ in 0..idle {
            threads.spawn()?;
        }
        engine.set_stepping(Stepping::Beside, clock.now());
        let dispatch = Dispatch {
            engine: Arc::clone(engine),
            clock: Arc::clone(clock),
            threads,
            stepped,
            idle,
            running: 0,
            replaced: engine.steps_given_up(),
            missing: 0,
        };
        let (stop, stopped) = oneshot::channel();
        Ok(Self {
            engine: Arc::clone(engine),
            clock: Arc::clone(clock),
            stop: Some(stop),
            dispatch: tokio::spawn(dispatch.run(stopped)),
        })
    }

    /// Lets steps under way end; agents then step one after the other again. A thread whose step
    /// does not return is left behind.
    pub async fn stop(mut self) {
        drop(self.stop.take());
        let _ = tokio::time::timeout(END, &mut self.dispatch).await;
        self.dispatch.abort();
        self.engine.flushed().await;
        self.engine.set_stepping(Stepping::InTurn, self.clock.now());
    }
}

impl Dispatch {
    async fn run(mut self, mut stopped: oneshot::Receiver<()>) {
        loop {
            self.replace_lost();
            while self.idle > 0
                && let Some(turn) = self.engine.next_turn(TURN_STEPS, self.clock.now())
            {
                self.hand_out(turn);
            }
            tokio::select! {
                _ = &mut stopped => break,
                Some(stepped) = self.stepped.recv() => self.take_in(stepped),
                () = self.engine.step_ready() => {}
            }
        }
        while self.running > 0 {
            match self.stepped.recv().await {
                Some(stepped) => self.take_in(stepped),
                None => return,
            }
            self.replace_lost();
        }
    }

    fn hand_out(&mut self, turn: Turn) {
        if self.threads.turns.send(Some(turn)).is_ok() {
            self.idle -= 1;
            self.running += 1;
        }
    }

    fn take_in(&mut self, stepped: Stepped) {
        let ends_turn = stepped.ends_turn();
        let taken = self.engine.finish(stepped, self.clock.now());
        match (ends_turn, taken) {
            (false, _) => {}
            (true, true) => {
                self.running -= 1;
                self.idle += 1;
            }
            // Of a turn that was given up, the thread is back: where there is none in its place it stays,
            // else one may go.
            (true, false) if self.missing > 0 => {
                self.missing -= 1;
                self.idle += 1;
            }
            (true, false) => drop(self.threads.turns.send(None)),
        }
    }

    /// Starts a replacement for each thread whose step was abandoned.
    fn replace_lost(&mut self) {
        while self.replaced < self.engine.steps_given_up() {
            self.replaced += 1;
            self.running = self.running.saturating_sub(1);
            match self.threads.spawn() {
                Ok(()) => self.idle += 1,
                Err(cause) => {
                    self.missing += 1;
                    error!("no thread for agents can be started: {cause}");
                }
            }
        }
    }
}

impl Threads {
    /// Starts a thread. It ends once no more steps are handed out; one whose step does not return
    /// delays nothing else.
    fn spawn(&self) -> io::Result<()> {
        let (next, stepped) = (Arc::clone(&self.next), self.stepped.clone());
        let thread = background::spawn("agents", move || {
            loop {
                let next = next.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(Some(turn)) = next else { return };
                if take(turn, &stepped).is_err() {
                    return;
                }
            }
        })?;
        drop(thread);
        Ok(())
    }
}

/// Runs the steps of a turn, and sends the outputs of each at once.
fn take(turn: Turn, stepped: &mpsc::UnboundedSender<Stepped>) -> Result<(), SendError<Stepped>> {
    let begun = Instant::now();
    let mut next = Some(turn);
    while let Some(turn) = next {
        let before = Instant::now();
        let (step, rest) = turn.step(|| begun.elapsed() < TURN);
        stepped.send(step.taking(before.elapsed()))?;
        next = rest;
    }
    Ok(())
}
