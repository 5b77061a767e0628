//! What the settings ask for of one management system.
//!
//! Read next: [`super::system`].

use crate::config::{EmsSettings, SettingsError};
use crate::ssh::Target;
use bindings::netconf::manager::{AlarmTypeMap, DomainDefaults};
use std::sync::Arc;
use std::time::Duration;

/// The plan of one management system.
#[derive(Clone, Debug)]
pub(super) struct SystemPlan {
    pub(super) name: String,
    pub(super) target: Target,
    pub(super) defaults: DomainDefaults,
    pub(super) device: Option<String>,
    pub(super) types: AlarmTypeMap,
    /// The period at which interfaces are read.
    pub(super) poll: Duration,
    /// The period at which the alarm list is read again.
    pub(super) alarm_list: Duration,
    /// The longest wait for the answer to an action.
    pub(super) timeout: Duration,
    pub(super) sessions: usize,
}

impl SystemPlan {
    /// The plan that settings make.
    ///
    /// # Errors
    /// [`SettingsError::Ems`]
    pub(super) fn new(settings: &EmsSettings) -> Result<Self, SettingsError> {
        let seconds = |given: Option<f64>, usual| Duration::from_secs_f64(given.unwrap_or(usual));
        Ok(Self {
            name: settings.name.clone(),
            target: Target {
                address: settings.address.clone(),
                user: settings.user.clone(),
                key: Arc::new(settings.private_key()?),
                host_key: settings.host_keys()?,
            },
            defaults: settings.defaults()?,
            device: settings.device.clone(),
            types: settings.alarm_type_map()?,
            poll: seconds(settings.poll_s, 60.0),
            alarm_list: seconds(settings.alarm_list_s, 300.0),
            timeout: seconds(settings.timeout_s, 600.0),
            sessions: settings.sessions.unwrap_or(8) as usize,
        })
    }
}
