//! `drain-node` and `move-lead` (module convoke-cluster): which node of the cluster leads.
//!
//! The engine asks the node; the binding only translates. Read next: `engine::cluster`.

use super::codec::Codec;
use crate::netconf::input;
use crate::netconf::request_context::RequestContext;
use ::netconf::error::RpcError;
use engine::{DrainNode, MoveLead};

impl Codec for DrainNode {
    type Input = input::DrainNode<'static>;

    fn decode(_: &RequestContext<'_>, input: input::DrainNode<'_>) -> Result<Self, RpcError> {
        let node = input.node()?.owned();
        Ok(Self { node })
    }

    fn encode((): &(), (): ()) {}
}

impl Codec for MoveLead {
    type Input = input::MoveLead<'static>;

    fn decode(_: &RequestContext<'_>, input: input::MoveLead<'_>) -> Result<Self, RpcError> {
        let node = input.node()?.owned();
        Ok(Self { node })
    }

    fn encode((): &(), (): ()) {}
}
