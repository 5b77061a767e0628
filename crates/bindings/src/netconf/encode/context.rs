//! `/context` and `/data-params`: what was said, and the data that travelled with it (draft §5.2).

use super::reader::{Reader, keys};
use crate::netconf::output::{self, Parent as _};
use ::netconf::data::write;
use ::netconf::filter::{Projection, View};
use domain::context::{Body, DataParam, Exchange};
use domain::task::TaskId;
use engine::Refusal;
use engine::query::{DataParamsOf, ExchangesOf};

impl Reader<'_> {
    pub(super) fn write_context(
        &self,
        view: &View<'_>,
        projection: &Projection<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        for id in wanted(keys(view, "id")) {
            let found = self.read(ExchangesOf {
                party: self.party(),
                id,
                task: None,
            })?;
            for exchange in &found {
                write(&said(exchange).written(), projection, out);
            }
        }
        Ok(())
    }

    pub(super) fn write_data_params(
        &self,
        view: &View<'_>,
        projection: &Projection<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        for id in wanted(keys(view, "id")) {
            let party = self.party();
            for data in &self.read(DataParamsOf { party, id })? {
                write(&data_param(data).written(), projection, out);
            }
        }
        Ok(())
    }
}

/// One look-up per key, or one for all.
pub(super) fn wanted(keys: Option<Vec<String>>) -> Vec<Option<String>> {
    keys.map_or_else(|| vec![None], |keys| keys.into_iter().map(Some).collect())
}

/// An entry of `/registry/context`: the record with the task and the verb that it belongs to.
pub(in crate::netconf) fn registered<'a>(
    node: output::Context<'a>,
    exchange: &'a Exchange,
) -> output::Context<'a> {
    node.id(&exchange.id)
        .task_id(exchange.task.as_ref().map(TaskId::as_str))
        .send_from(&exchange.from)
        .send_to(&exchange.to)
        .commu_type(exchange.verb.as_str())
        .request_info(Some(exchange), request)
        .response_info(Some(exchange), response)
}

/// An entry of `/context`.
fn said(exchange: &Exchange) -> output::AgentContext<'_> {
    output::AgentContext::default()
        .id(&exchange.id)
        .send_from(&exchange.from)
        .send_to(&exchange.to)
        .request_info(Some(exchange), request)
        .response_info(Some(exchange), response)
}

fn request<'a>(node: output::RequestInfo<'a>, of: &'a Exchange) -> output::RequestInfo<'a> {
    node.content(&of.request).time(of.request_time)
}

fn response<'a>(node: output::ResponseInfo<'a>, of: &'a Exchange) -> output::ResponseInfo<'a> {
    node.data_param(of.response.as_ref()).time(of.response_time)
}

fn data_param(data: &DataParam) -> output::DataParams<'_> {
    let (size, chunked, finished) = match &data.body {
        Body::Inline(text) => (Some(text.len() as u64), false, true),
        Body::Elsewhere(_) => (None, false, true),
        Body::Chunked(chunked) => (Some(chunked.size), true, chunked.finished),
    };
    let url = match &data.body {
        Body::Elsewhere(url) => Some(url),
        Body::Inline(_) | Body::Chunked(_) => None,
    };
    let description = (!data.description.is_empty()).then_some(&data.description);
    output::DataParams::default()
        .id(&data.id)
        .data_type(data.data_type.as_str())
        .description(description)
        .data_size(size.map(|s| s.to_string()))
        .format(&data.format)
        .url(url)
        .data(data.text())
        .chunked(chunked)
        .finished(finished)
}
