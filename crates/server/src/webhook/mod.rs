//! Webhooks: changes of tasks posted to the address of their `task-subscription` (draft §5.2), and
//! to those of A2A push configurations.
//!
//! A tour: [`target`] parses addresses and checks that they are allowed; [`report`] is the body of
//! a report and [`signature`] its signature; [`client`] posts one; [`schedule`] orders the
//! attempts; [`delivery`] follows the log, which it knows as a [`source`], and `cursors` names its
//! positions; [`platform`] is that source for a real platform.
//!
//! Only addresses in the section `[webhook]` of the settings are allowed.

pub mod client;
mod cursors;
pub mod delivery;
pub mod platform;
pub mod report;
pub mod schedule;
pub mod signature;
pub mod source;
pub mod target;

pub use crate::http_client::TrustError;
pub use client::{OutgoingRequest, WebhookClient};
pub use delivery::{Deliveries, DeliveryStatistics};
pub use platform::PlatformSource;
pub use schedule::DeliveryPolicy;
pub use signature::{Sealer, WrongKey};
pub use source::DeliverySource;
pub use target::{AllowList, BadEntry};

use crate::clock::Clock;
use crate::ssh::PrivateKey;
use crate::state::StateFolder;
use engine::{Deliverable, Engine};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The reason for which nothing can be delivered.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// The host key cannot sign reports.
    #[error(transparent)]
    Key(#[from] WrongKey),
    /// There is no trusted authority.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// The cursors cannot be read.
    #[error("the cursors of deliveries in {} cannot be read", path.display())]
    Cursors {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: source::Failure,
    },
}

/// The engine's check of a subscription.
pub fn deliverable(allowed: AllowList) -> Deliverable {
    Box::new(move |subscription| match allowed.admit(subscription) {
        Ok(_) => Ok(()),
        Err(why) => Err(why.to_string()),
    })
}

/// Starts delivering the changes of a platform: to allowed addresses, signed with its host key,
/// from the cursors in the state folder.
///
/// # Errors
/// [`WebhookError`]
pub fn start(
    engine: Arc<Engine>,
    allowed: AllowList,
    authorities: Option<&Path>,
    host_key: PrivateKey,
    folder: &StateFolder,
    clock: Arc<Clock>,
) -> Result<Deliveries, WebhookError> {
    let client = WebhookClient::new(allowed, Sealer::new(host_key)?, authorities)?;
    let unreadable = |cause| WebhookError::Cursors {
        path: folder.webhook(),
        cause,
    };
    let source = PlatformSource::new(engine, folder.clone());
    let source = source.map_err(|e| unreadable(e.into()))?;
    Deliveries::start(Arc::new(source), client, DeliveryPolicy::default(), clock)
        .map_err(unreadable)
}
