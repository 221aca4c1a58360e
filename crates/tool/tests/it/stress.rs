//! Many callers at once, while the catalogue changes and watchers follow it.
//!
//! Small here, so that it runs in seconds; `cargo xtask stress` runs it in release at full size and prints its figures.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::StreamExt;
use toolmesh_tool::{
    CallItem, Catalogue, CatalogueChange, CatalogueWatch, Dispatcher, Mount, Outcome, Prefix, Tool,
    ToolEvent, ToolName, ToolResult, Toolbox, dispatcher::CallLimits, semver::Version,
};

use crate::support::{echo, request, text};

const CALLERS: usize = 64;
const WATCHERS: usize = 8;

/// The variable that says how many calls each caller makes, and how many otherwise.
const CALLS_VARIABLE: &str = "TOOLMESH_STRESS_CALLS";
const CALLS: u64 = 100;

/// Every so many calls one is streamed, and it sends so many events.
const STREAMED: u64 = 10;
const EVENTS: usize = 5;

/// The variable that says how many other tools there are, and how many otherwise.
const CROWD_VARIABLE: &str = "TOOLMESH_STRESS_TOOLS";
const CROWD: u64 = 500;

fn size(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

fn tool(name: &str) -> Tool {
    Tool::with_name(name)
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("ok") })
        .build()
        .unwrap()
}

fn speaks() -> Tool {
    Tool::with_name("speaks")
        .json_object_arguments()
        .handler(|context, _| async move {
            for n in 0..EVENTS {
                context.delta(u64::try_from(n).unwrap()).await;
            }
            ToolResult::text("done")
        })
        .build()
        .unwrap()
}

/// Everything that runs together.
struct Stress {
    dispatcher: Dispatcher,
    ended: AtomicBool,
    changes: AtomicU64,
    streamed: AtomicU64,
}

/// One caller: calls, streams, and looks whether what it sees is whole.
async fn calls(stress: Arc<Stress>, count: u64) {
    let mut generation = 0;
    for n in 0..count {
        let echoed = stress
            .dispatcher
            .call(request("echo", &format!(r#"{{"message":"{n}"}}"#)))
            .await;
        assert_eq!(text(echoed), n.to_string());
        if n % STREAMED == 0 {
            all_events(&stress).await;
            let catalogue = stress.dispatcher.toolbox().snapshot();
            assert!(catalogue.generation() >= generation, "time goes on");
            generation = catalogue.generation();
            is_whole(&catalogue);
        }
    }
}

async fn all_events(stress: &Stress) {
    let mut stream = stress.dispatcher.stream(request("speaks", "{}"));
    let mut deltas = 0;
    while let Some(item) = stream.next().await {
        match item {
            CallItem::Event(ToolEvent::Delta { data }) => {
                assert_eq!(data.as_u64(), Some(deltas), "in order");
                deltas += 1;
            }
            CallItem::Event(_) => {}
            CallItem::Ended(outcome) => assert!(matches!(outcome, Outcome::Completed(_))),
        }
    }
    assert_eq!(deltas, u64::try_from(EVENTS).unwrap(), "no event is lost");
    stress.streamed.fetch_add(deltas, Ordering::Relaxed);
}

/// Tools come and go in pairs: a state with one of a pair is torn.
fn is_whole(catalogue: &Catalogue) {
    let current: Vec<_> = ["left", "right"]
        .map(|side| catalogue.tool(side, None).map(version))
        .into();
    assert!(
        current[0].is_some() && current[0] == current[1],
        "torn: {current:?}"
    );
}

fn version(found: &toolmesh_tool::CatalogueTool) -> Version {
    found.tool().version().clone()
}

fn pair(n: u64) -> Vec<Tool> {
    ["left", "right"]
        .map(|side| {
            let built = Tool::with_name(side)
                .json_object_arguments()
                .handler(|_, _| async { ToolResult::text("ok") })
                .version(Version::new(n, 0, 0));
            built.build().unwrap()
        })
        .into()
}

/// Exchanges the pair for the next one until the callers are done.
fn change(stress: &Stress, mount: &Mount) {
    let mut n = 0;
    while !stress.ended.load(Ordering::Acquire) {
        let gone = pair(n)
            .iter()
            .map(|tool| (tool.name().clone(), tool.version().clone()))
            .collect::<Vec<_>>();
        n += 1;
        mount.exchange(&gone, pair(n)).unwrap();
        std::thread::sleep(Duration::from_micros(200));
    }
    stress.changes.store(n, Ordering::Release);
}

type Known = BTreeSet<(ToolName, String)>;

fn known(catalogue: &Catalogue) -> Known {
    let tools = catalogue.all_tools();
    tools
        .map(|tool| (tool.name().clone(), version(tool).to_string()))
        .collect()
}

/// Follows the catalogue by its changes alone, until the toolbox is gone.
async fn follows(mut watch: CatalogueWatch, mut known: Known) -> Known {
    while let Some(CatalogueChange {
        added_tools,
        removed_tools,
        ..
    }) = watch.changed().await
    {
        for gone in &removed_tools {
            assert!(known.remove(gone), "{gone:?} was never there");
        }
        for new in added_tools {
            assert!(known.insert(new), "told twice");
        }
    }
    known
}

/// Bytes of this process that are in memory; `None` where the system does not tell.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4_096)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn callers_watchers_and_changes_together_lose_and_tear_nothing() {
    let count = size(CALLS_VARIABLE, CALLS);
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("own", Prefix::None).unwrap();
    mount.replace(vec![echo(), speaks()]).unwrap();
    let crowd = (0..size(CROWD_VARIABLE, CROWD)).map(|n| tool(&format!("crowd{n}")));
    let others = toolbox.mount("crowd", Prefix::None).unwrap();
    others.replace(crowd.collect::<Vec<_>>()).unwrap();
    let changing = toolbox.mount("changing", Prefix::None).unwrap();
    changing.replace(pair(0)).unwrap();

    let watchers: Vec<_> = (0..WATCHERS)
        .map(|_| tokio::spawn(follows(toolbox.watch(), known(&toolbox.snapshot()))))
        .collect();
    let limits = CallLimits {
        queued: CALLERS,
        ..CallLimits::default()
    };
    let stress = Arc::new(Stress {
        dispatcher: Dispatcher::builder(toolbox.clone()).limits(limits).build(),
        ended: AtomicBool::new(false),
        changes: AtomicU64::new(0),
        streamed: AtomicU64::new(0),
    });
    let changer = std::thread::spawn({
        let stress = Arc::clone(&stress);
        move || change(&stress, &changing)
    });
    let began = Instant::now();
    // A tenth of the calls warms everything up; memory is compared from there on.
    all_call(&stress, count.div_ceil(10)).await;
    let warm = resident();
    all_call(&stress, count).await;
    let (end, seconds) = (resident(), began.elapsed().as_secs_f64());
    stress.ended.store(true, Ordering::Release);
    tokio::task::spawn_blocking(|| changer.join().unwrap())
        .await
        .unwrap();

    let last = known(&toolbox.snapshot());
    let calls = u64::try_from(CALLERS).unwrap() * (count + count.div_ceil(10));
    println!(
        "{calls} calls, {} events, {} changes of {} tools in {seconds:.1} s; resident {} KiB warm, {} KiB at the end",
        stress.streamed.load(Ordering::Relaxed),
        stress.changes.load(Ordering::Acquire),
        last.len(),
        warm.unwrap_or_default() / 1_024,
        end.unwrap_or_default() / 1_024
    );
    assert!(stress.changes.load(Ordering::Acquire) > 0);
    if let (Some(warm), Some(end)) = (warm, end) {
        // Allocators keep some of what they got; what leaks with every call is far more.
        assert!(
            end < warm + warm / 4 + 8 * 1_024 * 1_024,
            "memory grew from {warm} to {end} bytes"
        );
    }
    drop((mount, others, toolbox, stress));
    for watcher in watchers {
        assert_eq!(
            watcher.await.unwrap(),
            last,
            "a watcher that applied every change knows the last state"
        );
    }
}

async fn all_call(stress: &Arc<Stress>, count: u64) {
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| tokio::spawn(calls(Arc::clone(stress), count)))
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
}
