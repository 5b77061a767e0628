//! `/context` and `/data-params`: what was said, and the data that travelled with it (draft §5.2).

use super::{Reader, keys};
use crate::netconf::{AGENT_NAMESPACE, REGISTRY_NAMESPACE};
use ::netconf::data::{Node, write};
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
                let node = Node::entry(AGENT_NAMESPACE, "context", 1).state();
                write(&filled(node, exchange, false), projection, out);
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
                write(&data_param(data), projection, out);
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
pub(in crate::netconf) fn registered(exchange: &Exchange) -> Node<'_> {
    filled(
        Node::entry(REGISTRY_NAMESPACE, "context", 1),
        exchange,
        true,
    )
}

/// Adds all of an exchange, with its task and verb or without.
fn filled<'a>(node: Node<'a>, exchange: &'a Exchange, with_task: bool) -> Node<'a> {
    let task = exchange.task.as_ref().filter(|_| with_task);
    let verb = with_task.then(|| exchange.verb.as_str());
    node.leaf("id", &exchange.id)
        .leaf_opt("task-id", task.map(TaskId::as_str))
        .leaf("sendFrom", &exchange.from)
        .leaf("sendTo", &exchange.to)
        .leaf_opt("commuType", verb)
        .with_all(infos(exchange))
}

fn infos(exchange: &Exchange) -> [Node<'_>; 2] {
    let request = Node::container("", "request-info")
        .leaf("content", &exchange.request)
        .leaf("time", exchange.request_time.to_string());
    let response = Node::container("", "response-info")
        .leaf_opt("dataParam", exchange.response.as_ref())
        .leaf_opt("time", exchange.response_time.map(|t| t.to_string()));
    [request, response]
}

fn data_param(data: &DataParam) -> Node<'_> {
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
    Node::entry(AGENT_NAMESPACE, "data-params", 1)
        .state()
        .leaf("id", &data.id)
        .leaf("dataType", data.data_type.as_str())
        .leaf_opt("description", description)
        .leaf_opt("dataSize", size.map(|s| s.to_string()))
        .leaf("format", &data.format)
        .leaf_opt("url", url)
        .leaf_opt("data", data.text())
        .leaf("chunked", chunked)
        .leaf("finished", finished)
}
