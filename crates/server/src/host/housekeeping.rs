//! Periodic work of a platform: computing the users' stored data, and removing expired rows.
//!
//! Read next: `engine::Engine::trim`, `engine::Engine::sum_up_data`.

use crate::clock::Clock;
use engine::{Engine, Retention};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tracing::{info, warn};

/// The interval of the removal.
const HOUSEKEEPING: Duration = Duration::from_secs(600);

/// Runs until the handle is aborted.
pub(super) fn start(engine: Arc<Engine>, clock: Arc<Clock>) -> JoinHandle<()> {
    let Retention {
        max_age_ms,
        max_bytes,
        ..
    } = engine.retention();
    let keeps_all = max_age_ms.is_none() && max_bytes.is_none();
    tokio::spawn(async move {
        sum_up(&engine).await;
        if keeps_all {
            return;
        }
        loop {
            match engine.trim(clock.now()).await {
                Ok(trimmed) if trimmed.tasks > 0 => {
                    info!(
                        store.tasks = trimmed.tasks,
                        "removed {} tasks", trimmed.tasks
                    );
                }
                Ok(_) => {}
                Err(cause) => warn!("what is too old was not removed: {cause}"),
            }
            sum_up(&engine).await;
            tokio::time::sleep(HOUSEKEEPING).await;
        }
    })
}

/// Computes the users' stored data, without delaying sessions.
async fn sum_up(engine: &Arc<Engine>) {
    let engine = Arc::clone(engine);
    let summed = tokio::task::spawn_blocking(move || engine.sum_up_data()).await;
    if let Ok(Err(cause)) = summed {
        warn!("what users have stored was not summed up: {cause}");
    }
}
