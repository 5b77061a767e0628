//! An operation of the engine as an rpc: how its input is read and its output written, and the way
//! between.
//!
//! Read next: [`super::simulation`], the shortest that are; [`engine::Operation`].

use super::validation::check;
use crate::netconf::answer::{Answer, Dispatch};
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::input::Input;
use crate::netconf::output::Output;
use crate::netconf::request_context::RequestContext;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;
use engine::{Execution, Operation, Refusal};

/// An operation of the engine as an rpc: its input read, its output written.
pub(super) trait Codec: Operation {
    /// The input, as the module has it.
    type Input: Input;

    /// Holds the input to the schema.
    ///
    /// # Errors
    /// The `rpc-error` of the first violation.
    fn check(cx: &RequestContext<'_>, input: XmlElement<'_>) -> Result<(), RpcError> {
        check(cx, input)
    }

    /// Reads the input, which keeps to the schema.
    ///
    /// # Errors
    /// An `rpc-error` for what the schema lets pass and nothing can be made of.
    fn decode(
        cx: &RequestContext<'_>,
        input: <Self::Input as Input>::In<'_>,
    ) -> Result<Self, RpcError>;

    /// Writes what came of it into the output, as the module has that.
    fn encode<'a>(outcome: &'a Self::Output, output: Given<'a, Self>) -> Given<'a, Self>;
}

/// The output of the rpc that an operation is.
pub(super) type Given<'a, O> = <<O as Codec>::Input as Input>::Output<'a>;

/// Reads the input of an rpc, asks the engine, and writes the output.
pub(super) fn carried_out<O: Codec>(
    cx: &RequestContext<'_>,
    origin: RpcOrigin,
    input: XmlElement<'_>,
) -> Dispatch {
    let checked = O::check(cx, input);
    let operation = checked.and_then(|()| O::decode(cx, O::Input::of(input)));
    executed(cx, origin, operation, |outcome| {
        Answer::of(O::encode(&outcome, Output::begin()))
    })
}

/// Asks the engine, and writes the output.
pub(super) fn executed<O: Operation>(
    cx: &RequestContext<'_>,
    origin: RpcOrigin,
    operation: Result<O, RpcError>,
    encode: fn(O::Output) -> Answer,
) -> Dispatch {
    let operation = match operation {
        Ok(operation) => operation,
        Err(error) => return Dispatch::Now(Err(error)),
    };
    let answer = move |outcome: Result<O::Output, Refusal>| {
        let outcome = outcome.map(encode);
        outcome.map_err(|refusal| error::refused(&refusal, origin))
    };
    match cx.platform.engine.execute(cx.who, operation, cx.now) {
        Execution::Done(outcome) => Dispatch::Now(answer(outcome)),
        Execution::Pending(pending) => {
            Dispatch::Later(Box::pin(async move { answer(pending.await) }))
        }
    }
}
