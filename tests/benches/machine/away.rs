//! The operator's way to a platform, and agents that are registered there and then go away: what they are assigned
//! waits, and is one commit.
//!
//! For all benches that start the command `convoke`. Read next: the `main.rs` of a bench.

use crate::support::process::Running;
use netconf::client::Outcome;
use server::client::{Client, Identity};
use server::ssh::keys::{self, StateKeys};
use server::ssh::{HostKeyPolicy, Target};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use testkit::PATIENCE;
use tokio::time::timeout;

/// The operator's way to it.
pub(crate) fn target(running: &Running) -> Target {
    let identity = running.operator();
    Target {
        address: running.address().to_owned(),
        user: identity.user,
        key: Arc::new(keys::load(&identity.key).expect("the platform made it")),
        host_key: HostKeyPolicy::KnownHosts(identity.known_hosts),
    }
}

/// For how long an agent that renews nothing is there, in seconds: longer than any bench.
const LEASE_S: u32 = 604_800;

/// Lets agents of these names in, and registers each.
pub(crate) async fn register(running: &Running, names: &[String]) -> Result<(), Box<dyn Error>> {
    let kept = StateKeys::open(running.state())?;
    for name in names {
        let key = kept.agent(name)?;
        let file = kept.agents().join(format!("{name}.pub"));
        if !file.exists() {
            std::fs::write(file, key.public_key().to_openssh()?)?;
        }
    }
    for name in names {
        register_one(running, name).await?;
    }
    Ok(())
}

async fn register_one(running: &Running, name: &str) -> Result<(), Box<dyn Error>> {
    let folder = running.state();
    let identity = Identity {
        user: name.to_owned(),
        key: folder.join(format!("keys/{name}_ed25519")),
        known_hosts: folder.join("known_hosts"),
    };
    let connected = async {
        loop {
            // A key counts soon after its file is there.
            match Client::connect(running.address(), &identity).await {
                Ok(client) => return client,
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    };
    let mut client = timeout(PATIENCE, connected).await?;
    let profile = format!(
        "<register-agent xmlns=\"urn:convoke:params:xml:ns:yang:convoke-registry\"><name>{name}</name>\
         <description>Is not there</description><version>1.0.0</version><provider>Provider</provider>\
         <layer>resource</layer><lease>{LEASE_S}</lease></register-agent>"
    );
    match client.call_any(&profile).await?.outcome {
        Outcome::Errors(errors) => Err(format!("{name} is not registered: {errors:?}").into()),
        _ => Ok(()),
    }
}
