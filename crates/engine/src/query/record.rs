//! Queries of all that is on record beside tasks: exchanges, data, push configurations, the audit
//! trail, schemas, and what management systems know.
//!
//! Read next: [`super`].

use super::ROWS_MOST;
use crate::Refusal;
use crate::access::exec;
use crate::operation::{Query, Reader, Weigh};
use crate::schemas::operation::SchemaRecords;
use crate::trail::page::{AuditFilter, AuditPage};
use domain::access::{Request, Rows};
use domain::context::{DataParam, Exchange};
use domain::ems::{AlarmList, Ems};
use domain::inventory::{ElementId, Inventory};
use domain::push::PushConfig;
use domain::task::TaskId;
use domain::telemetry::Performance;
use std::sync::Arc;
use store::{Filter, Keyed, Page};

/// Records of `/context`; of one agent, or of all; refused if they are
/// [too much](crate::refusal::OverLimit::TooMuch).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExchangesOf {
    /// The agent, or none for all.
    pub party: Option<String>,
    /// Only this record.
    pub id: Option<String>,
    /// Only those about this task.
    pub task: Option<TaskId>,
}

/// A page of records of `/context`, by time of the request; shorter than asked for if they are long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangePage(pub Filter);

/// Entries of `/data-params`; of one agent, or of all; refused if they are too much.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataParamsOf {
    /// The agent, or none for all.
    pub party: Option<String>,
    /// Only this entry.
    pub id: Option<String>,
}

/// The principal's own configurations for pushing of a task, by identifier; refused if there is no
/// such task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushConfigsOf(pub TaskId);

/// `/schemas`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaTree;

/// A page of the audit trail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditTrail(pub AuditFilter);

/// The alarms that a management system knows (RFC 8632).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlarmsOf {
    /// Which system.
    pub ems: Ems,
    /// Only those of these elements.
    pub resources: Option<Vec<ElementId>>,
}

/// The network as a management system has it documented (RFC 8345).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InventoryOf(pub Ems);

/// The counts of the last period that has ended at a management system, if one has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerformanceOf(pub Ems);

impl Query for ExchangesOf {
    type Output = Vec<Exchange>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn keyed(&self) -> Option<Weigh<Self::Output>> {
        self.id.as_ref().map(|_| -> Weigh<Self::Output> {
            |found| found.iter().map(|e| e.request.len()).sum::<usize>() as u64
        })
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        let (engine, sight) = (reader.engine, reader.sight(Rows::Exchanges));
        let Self { party, id, task } = self;
        let found = match id {
            Some(id) if !engine.is_visible(sight, Keyed::Exchange(&id))? => Vec::new(),
            Some(id) => engine.store.exchange(&id)?.into_iter().collect(),
            None => engine.whole(engine.store.exchanges(&Filter {
                task,
                party: sight.narrowest(party.clone()),
                limit: ROWS_MOST,
                bytes: engine.read_bytes(),
                ..Filter::default()
            })?)?,
        };
        let is_of = |party: &String, e: &Exchange| *party == e.from || *party == e.to;
        let visible = found
            .into_iter()
            .filter(|e| sight.shows(&e.from, &e.to))
            .filter(|e| party.as_ref().is_none_or(|party| is_of(party, e)));
        Ok(visible.collect())
    }
}

impl Query for ExchangePage {
    type Output = Page<Exchange>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        let sight = reader.sight(Rows::Exchanges);
        reader.engine.exchange_page(sight, self.0)
    }
}

impl Query for DataParamsOf {
    type Output = Vec<DataParam>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn keyed(&self) -> Option<Weigh<Self::Output>> {
        self.id.as_ref().map(|_| -> Weigh<Self::Output> {
            |found| {
                let texts = found.iter().map(|data| data.text().map_or(0, str::len));
                texts.sum::<usize>() as u64
            }
        })
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        let (engine, sight) = (reader.engine, reader.sight(Rows::Data));
        let Self { party, id } = self;
        let found = match id {
            Some(id) if !engine.is_visible(sight, Keyed::Data(&id))? => Vec::new(),
            Some(id) => engine.store.data_param(&id)?.into_iter().collect(),
            None => engine.whole(engine.store.data_params(&Filter {
                party: sight.narrowest(party.clone()),
                limit: ROWS_MOST,
                bytes: engine.read_bytes(),
                ..Filter::default()
            })?)?,
        };
        let visible = found
            .into_iter()
            .filter(|d| sight.shows(&d.parties[0], &d.parties[1]))
            .filter(|d| party.as_ref().is_none_or(|p| d.parties.contains(p)));
        Ok(visible.collect())
    }
}

impl Query for PushConfigsOf {
    type Output = Vec<PushConfig>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        reader.engine.push_configs_of(reader.who, &self.0)
    }
}

impl Query for SchemaTree {
    type Output = SchemaRecords;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        Ok(reader.engine.schema_records(reader.who, reader.now))
    }
}

impl Query for AuditTrail {
    type Output = AuditPage;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-audit", "get-audit", true))
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        reader.engine.audit_page(&self.0)
    }
}

impl Query for AlarmsOf {
    type Output = AlarmList;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        let resources = self.resources.as_deref();
        Ok(reader
            .engine
            .managed(reader.who, self.ems, |view, province| {
                view.alarms(resources, province)
            }))
    }
}

impl Query for InventoryOf {
    type Output = Arc<Inventory>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        let inventory = |view: &domain::ems::View, _: Option<&str>| Arc::clone(view.inventory());
        Ok(reader.engine.managed(reader.who, self.0, inventory))
    }
}

impl Query for PerformanceOf {
    type Output = Option<Arc<Performance>>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        Ok(reader.engine.managed(reader.who, self.0, |view, province| {
            view.performance(province)
        }))
    }
}
