//! Domain values as data nodes: everything that `get` and `get-data` can answer.
//!
//! One file per module or top-level node. A provider looks at the projection's view first and fetches
//! no more than is asked for and may be shown; the writer prunes the rest. Read next: [`Reader`].

mod access;
mod agent;
mod cluster;
pub(super) mod context;
pub(super) mod ems;
mod library;
mod monitoring;
pub(super) mod negotiation;
mod policy;
mod reader;
mod registry;
mod restconf;
pub(super) mod schema;
mod streams;
pub(super) mod task;
pub(super) mod team;
mod usage;

pub use agent::agent_xml;
pub(super) use reader::Reader;

use super::output::{self, Parent as _};
use super::{
    AGENT_NAMESPACE, CLUSTER_NAMESPACE, POLICY_NAMESPACE, REGISTRY_NAMESPACE, SCHEMA_NAMESPACE,
    USAGE_NAMESPACE,
};
use ::netconf::data::{Writer, write};
use ::netconf::filter::{Projection, View};
use ::netconf::names::namespace::{
    ACCESS_CONTROL, MONITORING, NETMOD_NOTIFICATION, RESTCONF_MONITORING, YANG_LIBRARY,
};
use engine::query::CurrentTask;
use engine::{Endpoint, Refusal};

impl Reader<'_> {
    /// Writes everything that the projection has, as sibling elements.
    pub(super) fn write(
        &self,
        projection: &Projection<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        let view = projection.view();
        match self.endpoint {
            Endpoint::Ems(ems) => self.write_managed(*ems, projection, out)?,
            Endpoint::Platform | Endpoint::Agent(_) => self.write_agents_own(projection, out)?,
        }
        if view.wants(MONITORING, "netconf-state") {
            write(&self.netconf_state(), projection, out);
        }
        if view.wants(NETMOD_NOTIFICATION, "netconf") {
            write(&self.streams(), projection, out);
        }
        if view.wants(RESTCONF_MONITORING, "restconf-state")
            && let Some(url) = self.platform.restconf_url(self.endpoint)
        {
            write(&self.restconf_state(&url), projection, out);
        }
        if view.wants(YANG_LIBRARY, "yang-library") {
            self.write_library(&self.session_schema.yang_library, projection, out);
        }
        if view.wants(YANG_LIBRARY, "modules-state") {
            self.write_library(&self.session_schema.modules_state, projection, out);
        }
        if view.wants(ACCESS_CONTROL, "nacm") {
            let rules = self.platform.engine.access();
            let denied = (self.platform.engine.denials(), &self.platform.totals);
            let nacm = access::nacm(&rules, denied, &self.session_schema.generation);
            write(&nacm, projection, out);
        }
        Ok(())
    }

    /// Writes what agents say of themselves and of their tasks; at the platform also what it knows of
    /// all of them. All of it is state.
    fn write_agents_own(
        &self,
        projection: &Projection<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        let view = projection.view();
        if !view.wants_state() {
            return Ok(());
        }
        if view.wants(AGENT_NAMESPACE, "agent") {
            self.write_agent(projection, out);
        }
        if let Some(view) = view.child(AGENT_NAMESPACE, "context") {
            self.write_context(&view, projection, out)?;
        }
        if let Some(view) = view.child(AGENT_NAMESPACE, "data-params") {
            self.write_data_params(&view, projection, out)?;
        }
        if view.wants(AGENT_NAMESPACE, "tasks") {
            self.write_current_task(projection, out)?;
        }
        if *self.endpoint == Endpoint::Platform
            && let Some(view) = view.child(REGISTRY_NAMESPACE, "registry")
        {
            self.write_registry(&view, projection, out)?;
        }
        if *self.endpoint == Endpoint::Platform && view.wants(SCHEMA_NAMESPACE, "schemas") {
            self.write_schemas(projection, out)?;
        }
        if *self.endpoint == Endpoint::Platform
            && let Some(view) = view.child(USAGE_NAMESPACE, "usage")
        {
            self.write_usage(&view, projection, out)?;
        }
        if *self.endpoint == Endpoint::Platform && view.wants(CLUSTER_NAMESPACE, "cluster") {
            self.write_cluster(projection, out);
        }
        if *self.endpoint == Endpoint::Platform
            && let Some(view) = view.child(POLICY_NAMESPACE, "policy")
        {
            self.write_policy(&view, projection, out)?;
        }
        Ok(())
    }

    fn write_current_task(
        &self,
        projection: &Projection<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        if let Some(task) = self.read(CurrentTask(self.own_agent().to_owned()))? {
            write(&task::tasks(&task).written(), projection, out);
        }
        Ok(())
    }

    fn write_registry(
        &self,
        view: &View<'_>,
        projection: &Projection<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        let mut writer = Writer::new(projection, out);
        if writer.open(&output::Registry::default().written()) {
            self.write_registered(view, &mut writer)?;
            writer.close();
        }
        Ok(())
    }
}
