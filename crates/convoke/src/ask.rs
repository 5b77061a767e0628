//! `convoke ask`: a question in plain words, answered by an agent.

use crate::cli::{Ask, Common};
use crate::output::Failure;
use crate::remote::{agent_name, connect};
use crate::task::give;
use domain::content::Content;
use server::client::NegotiateRequest;

pub(crate) async fn run(common: &Common, ask: Ask) -> Result<(), Failure> {
    let mut client = connect(common, &ask.remote).await?;
    let to = agent_name(&mut client, &ask.agent).await?;
    let question = ask.question.join(" ");
    let content = Content::new(question.clone(), question);
    let request = NegotiateRequest {
        to: Some(&to),
        content: vec![content.render()],
        asynchronous: Some(false),
        ..NegotiateRequest::default()
    };
    give(common, &mut client, &request).await
}
