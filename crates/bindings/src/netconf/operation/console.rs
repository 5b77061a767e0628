//! `end-console-session` (module convoke-usage): a session of the console is ended.
//!
//! The engine says whose may be ended by whom; the binding only translates. Read next: `engine`'s `console.rs`.

use super::codec::Codec;
use crate::netconf::input;
use crate::netconf::request_context::RequestContext;
use ::netconf::error::RpcError;
use engine::EndConsoleSession;

impl Codec for EndConsoleSession {
    type Input = input::EndConsoleSession<'static>;

    fn decode(
        _: &RequestContext<'_>,
        input: input::EndConsoleSession<'_>,
    ) -> Result<Self, RpcError> {
        let id = input.id()?.owned();
        Ok(Self { id })
    }

    fn encode((): &(), (): ()) {}
}
