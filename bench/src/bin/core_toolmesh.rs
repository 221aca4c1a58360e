//! What the dispatcher costs around an empty handler: every step of a call, in one thread, nothing else.
//!
//! Time is this thread's processor time, so that whatever else runs on the machine disturbs little. Prints one line of
//! JSON: nanoseconds a call.

use std::{hint::black_box, sync::Arc};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use toolmesh_tool::{
    CallEnd, CallInfo, CallRequest, Caller, Catalogue, Dispatcher, FrontInfo, Observer, Outcome, Prefix,
    Tool, ToolResult, Toolbox, Transport,
    dispatcher::{DispatcherBuilder, LimitBy, Rate, RateLimiter},
    json::{Value, parse},
    schema::Profile,
};

/// Measures the way of a call on one case, prints one line of JSON.
#[derive(Debug, Parser)]
struct Arguments {
    /// Which case: `handler`, `pass-through`, `schema`, `front`, `limited`, `observed`, `crowded`, `search`, `change`
    #[arg(long)]
    case: String,
    /// Processor time of a measurement
    #[arg(long, default_value_t = 300)]
    milliseconds: u32,
}

/// Calls between two looks at the clock.
const BATCH: u32 = 1_000;

/// Tools of a crowded catalogue.
const CROWD: usize = 100_000;

const SCHEMA: &[u8] = br#"{"type":"object","properties":{"message":{"type":"string"}},"required":["message"],"additionalProperties":false}"#;

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let nanoseconds = runtime.block_on(measure(&arguments))?;
    println!("{}", json!({"call_ns": nanoseconds}));
    Ok(())
}

async fn measure(arguments: &Arguments) -> Result<f64> {
    let case = arguments.case.as_str();
    if let "search" | "change" = case {
        return catalogue(case, arguments.milliseconds);
    }
    let crowd = if case == "crowded" { CROWD } else { 0 };
    let toolbox = toolbox(case != "pass-through" && case != "handler", crowd)?;
    let tool = toolbox
        .snapshot()
        .tool("empty", None)
        .context("the tool")?
        .tool()
        .clone();
    let dispatcher = configured(Dispatcher::builder(toolbox), case).build();
    let value = parse(br#"{"message":"hello"}"#)?;
    let front = if case == "front" {
        front()?
    } else {
        FrontInfo::default()
    };
    let caller = Caller::anonymous(Transport::Http);
    let request = || CallRequest::new("empty", value.clone(), caller.clone()).front(front.clone());
    let outcome = dispatcher.call(request()).await;
    ensure!(
        matches!(outcome, Outcome::Completed(_)),
        "the call failed: {outcome:?}"
    );
    let (mut calls, began) = (0_u64, now());
    while now() - began < u64::from(arguments.milliseconds) * 1_000_000 {
        for _ in 0..BATCH {
            if case == "handler" {
                let context = toolmesh_tool::CallContext::in_process();
                black_box(tool.handler().call(context, value.clone()).await);
            } else {
                black_box(dispatcher.call(request()).await);
            }
        }
        calls += u64::from(BATCH);
    }
    Ok((now() - began) as f64 / calls as f64)
}

/// A search in a crowded catalogue, and a change of it: one tool exchanged for another.
fn catalogue(case: &str, milliseconds: u32) -> Result<f64> {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("crowd", Prefix::None)?;
    mount.add(crowd(CROWD)?)?;
    let (one, two) = (tool("coming", false)?, tool("going", false)?);
    let key = |tool: &Tool| (tool.name().clone(), tool.version().clone());
    let find = |catalogue: &Catalogue| black_box(catalogue.search("number 4711 of the crowd", 10).len());
    ensure!(find(&toolbox.snapshot()) == 10, "the search found too little");
    let (mut times, began) = (0_u64, now());
    while now() - began < u64::from(milliseconds) * 1_000_000 {
        if case == "search" {
            find(&toolbox.snapshot());
        } else {
            mount.exchange(&[key(&one)], vec![two.clone()])?;
            std::mem::drop(mount.exchange(&[key(&two)], vec![one.clone()]));
            times += 1;
        }
        times += 1;
    }
    Ok((now() - began) as f64 / times as f64)
}

fn configured(builder: DispatcherBuilder, case: &str) -> DispatcherBuilder {
    match case {
        "limited" => builder
            .request_limiter(Arc::new(RateLimiter::new(
                Rate::per_second(u32::MAX),
                LimitBy::Caller,
            )))
            .tool_limiter(Arc::new(RateLimiter::new(
                Rate::per_second(u32::MAX),
                LimitBy::CallerAndTool,
            ))),
        "observed" => builder.observer(Arc::new(Counts::default())),
        _ => builder,
    }
}

/// What an MCP server tells of a request.
fn front() -> Result<FrontInfo> {
    Ok(FrontInfo {
        method: "tools/call".into(),
        request_id: Some(Value::from(7)),
        revision: Some("2026-07-28".into()),
        client_name: Some("client".into()),
        client_version: Some("1.0.0".into()),
        meta: Some(parse(
            br#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#,
        )?),
        ..FrontInfo::default()
    })
}

fn toolbox(with_schema: bool, others: usize) -> Result<Toolbox> {
    let toolbox = Toolbox::new();
    toolbox
        .mount("own", Prefix::None)?
        .replace(vec![tool("empty", with_schema)?])?;
    toolbox.mount("crowd", Prefix::None)?.replace(crowd(others)?)?;
    Ok(toolbox)
}

fn crowd(count: usize) -> Result<Vec<Tool>> {
    (0..count)
        .map(|n| tool(&format!("crowd_number_{n}"), false))
        .collect()
}

fn tool(name: &str, with_schema: bool) -> Result<Tool> {
    let named = Tool::with_name(name);
    let taking = if with_schema {
        named.input_schema(parse(SCHEMA)?, Profile::Profile1)
    } else {
        named.json_object_arguments()
    };
    let built = taking.handler(|_, _| async { ToolResult::default() });
    Ok(built.description("Does nothing, as one of a crowd.").build()?)
}

/// An observer that does as little as one can.
#[derive(Default)]
struct Counts(std::sync::atomic::AtomicU64);

impl Observer for Counts {
    fn ended(&self, _: &CallInfo, _: &CallEnd) {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

/// This thread's processor time in nanoseconds.
fn now() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
