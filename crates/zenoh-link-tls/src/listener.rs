//! Letting others in.

use std::{collections::VecDeque, io, sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpStream},
    task::AbortHandle,
};
use tokio_rustls::{TlsAcceptor, TlsStream};
use tokio_util::sync::CancellationToken;
use toolmesh_certificate::End;
use zenoh_link_commons::{LinkUnicast, LinkUnicastTrait, NewLinkChannelSender};
use zenoh_result::{ZResult, bail};

use crate::{link::Link, socket::Socket};

/// How long nobody is let in after the system has refused to: it has too many files open, mostly.
const PAUSE: Duration = Duration::from_millis(50);

/// What decides who is let in.
pub(crate) struct Door {
    pub(crate) acceptor: TlsAcceptor,
    /// When this side's certificate ends.
    pub(crate) own: End,
    /// How long a handshake may take, and how many may be under way at once.
    pub(crate) bounds: (Duration, usize),
    /// Who takes the links.
    pub(crate) links: NewLinkChannelSender,
}

impl Door {
    /// Lets in whoever comes, until it is enough.
    pub(crate) async fn open(self, socket: TcpListener, enough: CancellationToken) -> ZResult<()> {
        let door = Arc::new(self);
        let mut guests = Guests(VecDeque::new());
        loop {
            let came = tokio::select! {
                () = enough.cancelled() => return Ok(()),
                came = socket.accept() => came,
            };
            match came {
                Ok((stream, _)) => {
                    guests.make_room(door.bounds.1);
                    let handshake = tokio::spawn(Arc::clone(&door).receive(stream));
                    guests.0.push_back(handshake.abort_handle());
                }
                // Who came has left.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    tracing::error!("connections cannot be taken: {error}");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    async fn receive(self: Arc<Self>, stream: TcpStream) {
        match self.handshake(stream).await {
            // Nobody takes it when zenoh is about to end.
            Ok(link) => drop(self.links.send_async(LinkUnicast::from(link)).await),
            Err(error) => refused(&error),
        }
    }

    async fn handshake(&self, stream: TcpStream) -> ZResult<Arc<dyn LinkUnicastTrait>> {
        stream.set_nodelay(true)?;
        let handshake = self.acceptor.accept(Socket(stream));
        match tokio::time::timeout(self.bounds.0, handshake).await {
            Ok(stream) => Ok(Link::new(TlsStream::from(stream?), self.own.clone())?),
            Err(_) => bail!("the handshake took too long"),
        }
    }
}

/// Programs that read the log know the target and that the message is the reason.
fn refused(reason: &dyn std::fmt::Display) {
    tracing::warn!("{reason}");
}

/// Those whose handshake is under way, the first of them the longest.
struct Guests(VecDeque<AbortHandle>);

impl Guests {
    /// Strangers may open connections and say nothing: when there is no room left, whoever has taken longest leaves, so that
    /// those who come to do a handshake have the time for it.
    fn make_room(&mut self, most: usize) {
        if self.0.len() < most {
            return;
        }
        self.0.retain(|guest| !guest.is_finished());
        if self.0.len() >= most
            && let Some(longest) = self.0.pop_front()
        {
            longest.abort();
            refused(&"others came meanwhile, and its handshake was not done");
        }
    }
}

impl Drop for Guests {
    fn drop(&mut self) {
        self.0.iter().for_each(AbortHandle::abort);
    }
}
