//! Bare zenoh: a queryable that answers with the bytes that it is asked with, or with many of them.
//!
//! The settings are those of a node of toolmesh: peers over TCP, no multicast.

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Value, json};
use toolmesh_bench::mesh::{self, Peer, Turns};
use zenoh::{Config, Session, handlers::FifoChannel, query::ConsolidationMode};

/// Where the one number is given back.
const ECHO: &str = "bench/echo";

/// Where so many numbers are given.
const COUNT: &str = "bench/count";

/// How many replies may wait for the reader.
const WAITING: usize = 1024;

#[derive(Clone)]
struct Node {
    session: Session,
}

fn main() -> Result<()> {
    mesh::main::<Node>()
}

fn config(listen: &str, connect: Option<&str>) -> Result<Config> {
    let mut config = Config::default();
    let mut set = |key, value: Value| {
        config
            .insert_json5(key, &value.to_string())
            .map_err(|error| anyhow!(error))
    };
    set("mode", json!("peer"))?;
    set("scouting/multicast/enabled", json!(false))?;
    set("listen/endpoints", json!([listen]))?;
    set(
        "connect/endpoints",
        connect.map_or_else(|| json!([]), |place| json!([place])),
    )?;
    Ok(config)
}

async fn open(connect: Option<&str>) -> Result<Session> {
    let config = config("tcp/127.0.0.1:0", connect)?;
    zenoh::open(config).await.map_err(|error| anyhow!(error))
}

async fn serve(session: Session) -> Result<()> {
    let declared = session.declare_queryable("bench/*").await;
    let queryable = declared.map_err(|error| anyhow!(error))?;
    while let Ok(query) = queryable.recv_async().await {
        let asked = query
            .payload()
            .map(|payload| payload.to_bytes().into_owned())
            .unwrap_or_default();
        if query.key_expr().as_str() == ECHO {
            query.reply(ECHO, asked).await.map_err(|error| anyhow!(error))?;
            continue;
        }
        // A task of its own, so that other queries are answered meanwhile.
        tokio::spawn(async move {
            for number in 0..number_of(&asked)? {
                let reply = query.reply(COUNT, json!({"number": number}).to_string()).await;
                reply.map_err(|error| anyhow!(error))?;
            }
            anyhow::Ok(())
        });
    }
    Ok(())
}

fn number_of(bytes: &[u8]) -> Result<u64> {
    let value: Value = serde_json::from_slice(bytes)?;
    value["number"].as_u64().context("no number")
}

impl Peer for Node {
    async fn host() -> Result<(Self, String)> {
        let session = open(None).await?;
        let place = session
            .info()
            .locators()
            .await
            .first()
            .context("zenoh listens nowhere")?
            .to_string();
        tokio::spawn(serve(session.clone()));
        Ok((Self { session }, place))
    }

    async fn join(place: &str) -> Result<Self> {
        let node = Self {
            session: open(Some(place)).await?,
        };
        // The queryable is told a moment after the session is there.
        while node.call(0).await.is_err() {
            tokio::task::yield_now().await;
        }
        Ok(node)
    }

    async fn call(&self, number: u64) -> Result<()> {
        let asked = json!({"number": number}).to_string();
        let replies = self
            .session
            .get(ECHO)
            .payload(asked)
            .await
            .map_err(|error| anyhow!(error))?;
        let reply = replies.recv_async().await.map_err(|error| anyhow!(error))?;
        let sample = reply.result().map_err(|error| anyhow!(error.to_string()))?;
        ensure!(
            number_of(&sample.payload().to_bytes())? == number,
            "{number} was answered by another"
        );
        Ok(())
    }

    async fn stream(&self, events: u64) -> Result<()> {
        let asked = json!({"number": events}).to_string();
        let replies = self.session.get(COUNT).payload(asked);
        let replies = replies
            .consolidation(ConsolidationMode::None)
            .with(FifoChannel::new(WAITING));
        let replies = replies.await.map_err(|error| anyhow!(error))?;
        let mut turns = Turns::default();
        while let Ok(reply) = replies.recv_async().await {
            let sample = reply.result().map_err(|error| anyhow!(error.to_string()))?;
            turns.take(Some(number_of(&sample.payload().to_bytes())?))?;
        }
        turns.end(events)
    }
}
