//! One POST: to an allowed address, signed, once.
//!
//! No credentials except those of the request. Connections are those of [`crate::http_client`],
//! kept for a while and reused. Retries are scheduled by [`super::schedule`]. Read next:
//! [`super::delivery`].

use super::signature::Sealer;
use super::target::{AllowList, Target};
use crate::fence::Fence;
use crate::http_client::{HttpClient, TrustError, Unanswered, secret};
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{HeaderMap, Method, http};
use std::path::Path;

/// The most idle connections kept to one host.
const IDLE: usize = 4;
/// The most bytes of a response's body that are read so that its connection can be reused.
const ANSWER_MOST: usize = 64 * 1_024;

/// A request to be posted.
#[derive(Clone, PartialEq, Eq)]
pub struct OutgoingRequest {
    /// The type of the body.
    pub media_type: &'static str,
    /// Further fields for the receiver, which may be secrets.
    pub fields: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
}

/// The client that posts reports; share it in an `Arc`.
pub struct WebhookClient {
    http: HttpClient,
    sealer: Sealer,
}

impl WebhookClient {
    /// A client for the origins of this list. Certificates are verified with the authorities in
    /// `authorities` (PEM), or with those that the system trusts.
    ///
    /// # Errors
    /// [`TrustError`] if there is no authority to trust.
    pub fn new(
        allowed: AllowList,
        sealer: Sealer,
        authorities: Option<&Path>,
    ) -> Result<Self, TrustError> {
        Ok(Self {
            http: HttpClient::new(allowed, authorities, IDLE)?,
            sealer,
        })
    }

    /// The same client, whose requests pass this fence.
    #[must_use]
    pub fn fenced_by(self, fence: Fence) -> Self {
        Self {
            http: self.http.fenced_by(fence),
            ..self
        }
    }

    /// The list of allowed origins.
    pub fn allowed(&self) -> &AllowList {
        self.http.allowed()
    }

    /// Posts a request and returns the status of the response. `created` is the time of the
    /// signature, in seconds since 1970.
    ///
    /// # Errors
    /// [`Unanswered`]
    pub async fn post(
        &self,
        target: &Target,
        outgoing: OutgoingRequest,
        created: i64,
    ) -> Result<u16, Unanswered> {
        let fields = self.fields(target, &outgoing, created)?;
        let sent = self.http.send(target, Method::POST, fields, outgoing.body);
        let response = sent.await?;
        let status = response.status();
        // The status is the answer, whatever becomes of the body.
        let _ = response.bytes(ANSWER_MOST).await;
        Ok(status)
    }

    fn fields(
        &self,
        target: &Target,
        outgoing: &OutgoingRequest,
        created: i64,
    ) -> Result<HeaderMap, http::Error> {
        let (uri, media_type) = (target.to_string(), outgoing.media_type);
        let seal = self.sealer.seal(&uri, media_type, &outgoing.body, created);
        let mut fields = HeaderMap::new();
        fields.append(CONTENT_TYPE, HeaderValue::from_static(media_type));
        for (name, value) in [
            ("content-digest", seal.content_digest),
            ("signature-input", seal.signature_input),
            ("signature", seal.signature),
        ] {
            fields.append(name, HeaderValue::try_from(value)?);
        }
        for (name, value) in &outgoing.fields {
            fields.append(HeaderName::try_from(*name)?, secret(value)?);
        }
        Ok(fields)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fence::tests::goes_out_only_while_leading;
    use crate::ssh::keys;

    #[tokio::test]
    async fn who_leads_no_more_reports_nothing() {
        goes_out_only_while_leading(async |origin, fence| {
            let allowed = AllowList::new(&[], std::slice::from_ref(&origin)).unwrap();
            let sealer = Sealer::new(keys::generate("host")).unwrap();
            let client = WebhookClient::new(allowed, sealer, None).unwrap();
            let client = client.fenced_by(fence);
            let target = client.allowed().admit_url(&origin).unwrap();
            let report = OutgoingRequest {
                media_type: "application/json",
                fields: Vec::new(),
                body: "{}".to_owned(),
            };
            client.post(&target, report, 0).await?;
            Ok(())
        })
        .await;
    }
}
