//! A session on which anything can be sent, XML or not, framed or not.
//!
//! Messages are framed here byte by byte, since they need not be text. Read next: [`super::talk`].

use super::within;
use netconf::framing::{Decoder, Framing};
use netconf::names::capability::{BASE_1_0, BASE_1_1};
use netconf::names::namespace::BASE;
use server::ssh::{ByteStream, Inbound, Outbound, split};
use tokio::io::AsyncWriteExt;

const MESSAGE_BYTES: usize = 64 << 20;

/// The client's end of a session.
pub struct Raw {
    inbound: Inbound,
    outbound: Outbound,
    decoder: Decoder,
    framing: Framing,
}

impl Raw {
    /// Reads the server's hello and sends one for that framing.
    ///
    /// # Panics
    /// If the server sends no hello.
    pub async fn open(stream: ByteStream, framing: Framing) -> Self {
        let mut raw = Self::silent(stream).await;
        let base = match framing {
            Framing::Chunked => BASE_1_1,
            Framing::EndOfMessage => BASE_1_0,
        };
        let hello = format!(
            "<hello xmlns=\"{BASE}\"><capabilities><capability>{base}</capability></capabilities>\
             </hello>"
        );
        raw.send(hello.as_bytes()).await;
        raw.framing = framing;
        raw.decoder.switch_to(framing);
        raw
    }

    /// Opens a session that subscribes, with this content of `<create-subscription>`.
    ///
    /// # Panics
    /// If it may not.
    pub async fn subscribed(stream: ByteStream, inside: &str) -> Self {
        let mut raw = Self::open(stream, Framing::Chunked).await;
        let operation = super::talk::subscribe(inside);
        let rpc = format!("<rpc xmlns=\"{BASE}\" message-id=\"1\">{operation}</rpc>");
        raw.send(rpc.as_bytes()).await;
        let reply = raw.next().await.expect("a reply");
        assert!(reply.contains("<ok/>"), "{reply}");
        raw
    }

    /// Reads the server's hello and sends nothing.
    ///
    /// # Panics
    /// If the server sends no hello.
    pub async fn silent(stream: ByteStream) -> Self {
        let (inbound, outbound) = split(stream, MESSAGE_BYTES);
        let mut raw = Self {
            inbound,
            outbound,
            decoder: Decoder::new(MESSAGE_BYTES),
            framing: Framing::EndOfMessage,
        };
        let hello = raw.next().await.expect("the server greets");
        assert!(hello.contains("<hello"), "{hello}");
        raw
    }

    /// Sends bytes unchanged, and reads the server's output meanwhile: a closing server reads no
    /// more, and a client that only wrote would wait for it for ever.
    pub async fn bytes(&mut self, bytes: &[u8]) {
        let outbound = &mut self.outbound;
        let writing = async {
            outbound.write_all(bytes).await?;
            outbound.flush().await
        };
        let mut writing = std::pin::pin!(writing);
        let written = async {
            loop {
                tokio::select! {
                    // That it fails is told by what is read, or not read, afterwards.
                    _ = &mut writing => return,
                    received = self.inbound.receive() => match received {
                        Ok(Some(bytes)) => self.decoder.push(&bytes),
                        Ok(None) | Err(_) => return,
                    },
                }
            }
        };
        within("room to write", written).await;
    }

    /// Sends a message in one chunk, or with the end mark.
    pub async fn send(&mut self, message: &[u8]) {
        let mut framed = Vec::with_capacity(message.len() + 32);
        if self.framing == Framing::Chunked {
            framed.extend_from_slice(format!("\n#{}\n", message.len()).as_bytes());
            framed.extend_from_slice(message);
            framed.extend_from_slice(b"\n##\n");
        } else {
            framed.extend_from_slice(message);
            framed.extend_from_slice(b"]]>]]>");
        }
        self.bytes(&framed).await;
    }

    /// The next message; none once the server has closed the channel.
    ///
    /// # Panics
    /// If neither comes, or what comes is badly framed or no UTF-8.
    pub async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(message) = self.decoder.next_message().expect("good framing") {
                return Some(String::from_utf8(message).expect("UTF-8"));
            }
            match within("the server to speak or close", self.inbound.receive()).await {
                Ok(Some(bytes)) => self.decoder.push(&bytes),
                Ok(None) | Err(_) => return None,
            }
        }
    }

    /// All messages until the server closes.
    pub async fn rest(&mut self) -> Vec<String> {
        let mut messages = Vec::new();
        while let Some(message) = self.next().await {
            messages.push(message);
        }
        messages
    }
}
