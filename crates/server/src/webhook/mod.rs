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
use engine::refusal::Field;
use engine::{Deliverable, Engine};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use target::Inadmissible;

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
    #[error("the cursors of deliveries cannot be read")]
    Cursors(#[source] source::Failure),
    /// The cursors of a release before cannot be taken over.
    #[error("the cursors of deliveries in {} cannot be taken over", path.display())]
    OfBefore {
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
        Err(why) => Err((field(&why), why.to_string())),
    })
}

/// What of a subscription is wrong.
fn field(why: &Inadmissible) -> Field {
    match why {
        Inadmissible::Way { protocol, .. } => {
            let offered = ["http", "https"];
            match offered.iter().any(|it| protocol.eq_ignore_ascii_case(it)) {
                true => Field::SubscriptionMethod,
                false => Field::SubscriptionProtocol,
            }
        }
        Inadmissible::Url(_) | Inadmissible::OtherProtocol(_) | Inadmissible::NotAllowed(_) => {
            Field::SubscriptionUrl
        }
    }
}

/// Starts delivering the changes of a platform: to allowed addresses, signed with its host key,
/// from the cursors in its store.
///
/// # Errors
/// [`WebhookError`]
pub async fn start(
    engine: Arc<Engine>,
    allowed: AllowList,
    authorities: Option<&Path>,
    host_key: PrivateKey,
    folder: &StateFolder,
    clock: Arc<Clock>,
) -> Result<Deliveries, WebhookError> {
    let client = WebhookClient::new(allowed, Sealer::new(host_key)?, authorities)?
        .fenced_by(clock.fence().clone());
    let path = folder.webhook();
    if let Err(cause) = platform::carry_over(&engine, &path).await {
        return Err(WebhookError::OfBefore { path, cause });
    }
    let source = PlatformSource::new(engine, folder.clone());
    Deliveries::start(Arc::new(source), client, DeliveryPolicy::default(), clock)
        .map_err(WebhookError::Cursors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::task::Subscription;

    #[test]
    fn what_of_a_subscription_is_wrong_is_told() {
        let refused = deliverable(AllowList::default());
        for (protocol, method, field) in [
            ("HTTP", "PUT", Field::SubscriptionMethod),
            ("smtp", "POST", Field::SubscriptionProtocol),
            ("https", "POST", Field::SubscriptionUrl),
        ] {
            let wanted = Subscription {
                protocol: protocol.to_owned(),
                method: method.to_owned(),
                url: "https://hook.example/".to_owned(),
            };
            let (told, _) = refused(&wanted).expect_err("nothing is allowed");
            assert_eq!(told, field);
        }
    }
}
