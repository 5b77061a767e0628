//! The MCP server: requests of the assistant, answered.
//!
//! Supports both lifecycles of the protocol: the one that begins with `initialize`, and that of
//! 2026-07-28, where changes of the tools are notified on a subscription. Refuses to know the
//! platform. Read next: `rmcp::ServerHandler`.

use super::call::{Call, News};
use super::{Shelf, going_on, library, outcome};
use crate::output::Failure;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelledNotificationParam, Implementation,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, RequestId,
    ResourceContents, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// The instructions of the server for the assistant.
const INSTRUCTIONS: &str = "Each tool is a skill of an agent of an autonomous network. A call assigns a \
     task to the agent and waits for its end. A task may take longer than a call, or ask back: 'wait' \
     waits on, 'answer' takes the answer. Agents and tasks are resources.";

/// The server that the assistant talks to.
pub(super) struct Desk {
    shelf: Arc<Shelf>,
    calls: Calls,
}

impl Desk {
    pub(super) fn new(shelf: Arc<Shelf>) -> Self {
        Self {
            shelf,
            calls: Calls::default(),
        }
    }
}

impl ServerHandler for Desk {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_resources()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let name = Implementation::new("convoke", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(name.with_title("Convoke"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.shelf.renew().await.map_err(in_vain)?;
        let offers = self.shelf.offers();
        let tools = offers.tools().chain(going_on::tools());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let under_way = self.calls.begin(context.id);
        let call = Call {
            access: &self.shelf.access,
            news: News::new(context.peer, context.meta.get_progress_token()),
            given_up: &under_way.given_up,
            seen: None,
        };
        let values = request.arguments.unwrap_or_default();
        let done = match &*request.name {
            going_on::WAIT => going_on::wait(call, values).await,
            going_on::ANSWER => going_on::answer(call, values).await,
            name => {
                let offers = self.shelf.offers();
                let offer = offers.called(name).ok_or_else(|| no_tool(name))?;
                call.assign(offer, values).await
            }
        };
        let done = done.unwrap_or_else(|failure| outcome::failed(failure.to_string()));
        Ok(done.into())
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        _: NotificationContext<RoleServer>,
    ) {
        if let Some(id) = &notification.request_id {
            self.calls.give_up(id);
        }
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let mut offers = self.shelf.offers.subscribe();
        while offers.changed().await.is_ok() {
            if context.peer.notify_tool_list_changed().await.is_err() {
                return;
            }
        }
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut offers = self.shelf.offers.subscribe();
        loop {
            tokio::select! {
                changed = offers.changed() => if changed.is_err() {
                    return Ok(());
                },
                () = context.cancelled() => return Ok(()),
            }
            if context.sink().notify_tool_list_changed().await.is_err() {
                return Ok(());
            }
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(library::resources()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(
            library::templates(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let read = library::read(&self.shelf.access, &uri)
            .await
            .map_err(in_vain)?;
        let nothing = || ErrorData::resource_not_found(format!("nothing is at {uri}"), None);
        let text = read.ok_or_else(nothing)?.to_string();
        let contents = ResourceContents::text(text, uri).with_mime_type(library::JSON);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

fn in_vain(failure: Failure) -> ErrorData {
    ErrorData::internal_error(failure.to_string(), None)
}

fn no_tool(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("no tool is called '{name}'"), None)
}

/// The calls in progress, by the requests that began them.
///
/// The cancellation token of a request also fires when the input ends, when tasks are to continue.
#[derive(Default)]
struct Calls(Mutex<HashMap<RequestId, Arc<Notify>>>);

/// A registered call, which can be cancelled as long as this is held.
struct UnderWay<'a> {
    calls: &'a Calls,
    id: RequestId,
    given_up: Arc<Notify>,
}

impl Calls {
    fn begin(&self, id: RequestId) -> UnderWay<'_> {
        let given_up = Arc::new(Notify::new());
        let mut all = self.0.lock().expect("no holder panics");
        all.insert(id.clone(), Arc::clone(&given_up));
        UnderWay {
            calls: self,
            id,
            given_up,
        }
    }

    fn give_up(&self, id: &RequestId) {
        if let Some(given_up) = self.0.lock().expect("no holder panics").get(id) {
            given_up.notify_one();
        }
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let mut all = self.calls.0.lock().expect("no holder panics");
        all.remove(&self.id);
    }
}
