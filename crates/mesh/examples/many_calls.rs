//! Many calls by many callers at once: counts those that are lost and those that are wrong.
//!
//! ```sh
//! cargo run -p toolmesh-mesh --example many_calls -- 10
//! ```
//!
//! The argument is the number of rounds, 1 by default; each is 64,000 calls by 32 callers. The exit code is 1 when a call was
//! lost or wrong.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "what the program has to say"
)]

use std::{process::ExitCode, time::Instant};

use futures_util::StreamExt;
use toolmesh_mesh::{Mesh, MeshBuilder, metadata_for};

const CALLERS: u64 = 32;
const CALLS_OF_EACH: u64 = 2_000;

#[derive(schemars::JsonSchema, serde::Serialize, serde::Deserialize)]
struct Number {
    number: u64,
}

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let rounds: u32 = std::env::args().nth(1).map_or(Ok(1), |rounds| rounds.parse())?;
    let key = [42; 32];
    let host = MeshBuilder::new("127.0.0.1:0", &key)?
        .name("host")
        .build()
        .await?;
    let agent = MeshBuilder::new("127.0.0.1:0", &key)?
        .name("agent")
        .build()
        .await?;
    let descriptor = metadata_for::<Number, Number>("next").stateless(false).build();
    let _served = host.serve_tool::<Number, Number, _, _>(descriptor, |asked| async move {
        Ok(Number {
            number: asked.number + 1,
        })
    })?;
    let mut changes = agent.watch_tools(None, None);
    while agent.list_tools(None).is_empty() {
        changes.next().await.ok_or("the watch ended")?;
    }
    let mut all_right = true;
    for round in 1..=rounds {
        let began = Instant::now();
        let (lost, wrong) = run(&agent).await;
        all_right &= lost == 0 && wrong == 0;
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "round {round}: {} calls in {seconds:.1} s, {lost} lost, {wrong} wrong",
            CALLERS * CALLS_OF_EACH
        );
    }
    Ok(if all_right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// One round: how many calls were lost, and how many wrong.
async fn run(agent: &Mesh) -> (u64, u64) {
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..CALLERS {
        let agent = agent.clone();
        callers.spawn(async move {
            let (mut lost, mut wrong) = (0, 0);
            for call in 0..CALLS_OF_EACH {
                let number = caller * CALLS_OF_EACH + call;
                match agent.call_tool::<_, Number>("next", &Number { number }).await {
                    Ok(answer) if answer.number == number + 1 => {}
                    Ok(_) => wrong += 1,
                    Err(error) => {
                        eprintln!("call {number}: {error}");
                        lost += 1;
                    }
                }
            }
            (lost, wrong)
        });
    }
    let ended = callers.join_all().await.into_iter();
    ended.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}
