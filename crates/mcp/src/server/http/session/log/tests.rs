//! Tests of the log of events.

use futures_util::{FutureExt as _, future::poll_fn, task::noop_waker_ref};
use proptest::prelude::*;

use super::*;

/// What there is to read now, as numbers; the flag says whether the end came.
fn rest(log: &EventLog, cursor: &mut Cursor) -> (Vec<u64>, bool) {
    let mut context = Context::from_waker(noop_waker_ref());
    let mut numbers = Vec::new();
    loop {
        match log.poll_next(cursor, &mut context) {
            Poll::Ready(Some((number, _))) => numbers.push(number),
            Poll::Ready(None) => return (numbers, true),
            Poll::Pending => return (numbers, false),
        }
    }
}

async fn fill(log: &EventLog, stream: u64, count: usize) {
    for _ in 0..count {
        log.push(stream, "x").await;
    }
}

#[tokio::test]
async fn a_stream_is_read_on_from_the_event_that_is_named() {
    let log = EventLog::new();
    let stream = log.open();
    fill(&log, stream, 3).await;
    assert_eq!(
        rest(&log, &mut log.read(stream, Some(0)).unwrap()),
        (vec![1, 2, 3], false)
    );
    log.finish(stream);
    assert_eq!(
        rest(&log, &mut log.read(stream, Some(1)).unwrap()),
        (vec![2, 3], true)
    );
    assert_eq!(
        rest(&log, &mut log.read(stream, Some(3)).unwrap()),
        (vec![], true)
    );
    assert!(log.read(stream, Some(4)).is_none());
    assert!(log.read(stream + 1, None).is_none());
}

#[tokio::test]
async fn only_the_newest_reader_reads() {
    let log = EventLog::new();
    let stream = log.open();
    let mut old = log.read(stream, None).unwrap();
    let mut new = log.read(stream, None).unwrap();
    fill(&log, stream, 1).await;
    assert_eq!(rest(&log, &mut old), (vec![], true));
    assert_eq!(rest(&log, &mut new), (vec![1], false));
}

#[tokio::test]
async fn a_reader_that_is_let_go_ends_and_the_stream_goes_on() {
    let log = EventLog::new();
    let stream = log.open();
    let mut reader = log.read(stream, None).unwrap();
    fill(&log, stream, 1).await;
    log.let_go(stream);
    assert_eq!(rest(&log, &mut reader), (vec![1], true));
    fill(&log, stream, 1).await;
    assert_eq!(
        rest(&log, &mut log.read(stream, Some(1)).unwrap()),
        (vec![2], false)
    );
}

#[tokio::test]
async fn what_nobody_read_of_the_general_stream_waits_for_the_next_reader() {
    let log = EventLog::new();
    fill(&log, GENERAL, 2).await;
    let mut reader = log.read(GENERAL, None).unwrap();
    assert_eq!(rest(&log, &mut reader), (vec![1, 2], false));
    log.left(&reader);
    fill(&log, GENERAL, 1).await;
    assert_eq!(
        rest(&log, &mut log.read(GENERAL, None).unwrap()),
        (vec![3], false)
    );
}

#[tokio::test]
async fn old_events_are_forgotten_by_number_and_by_bytes() {
    let log = EventLog::new();
    let stream = log.open();
    fill(&log, stream, MAX_EVENTS).await;
    assert_eq!(
        rest(&log, &mut log.read(stream, Some(0)).unwrap()).0.len(),
        MAX_EVENTS
    );
    let mut reader = log.read(stream, Some(0)).unwrap();
    log.left(&reader);
    fill(&log, stream, 1).await;
    reader = log.read(stream, Some(0)).unwrap();
    assert_eq!(rest(&log, &mut reader).0.first(), Some(&2));
    log.push(stream, "y".repeat(MAX_EVENT_BYTES - 1)).await;
    assert_eq!(rest(&log, &mut log.read(stream, Some(0)).unwrap()).0.len(), 2);
    log.push(stream, "y".repeat(MAX_EVENT_BYTES + 1)).await;
    assert_eq!(rest(&log, &mut log.read(stream, Some(0)).unwrap()).0.len(), 1);
}

#[tokio::test]
async fn a_writer_waits_for_a_reader_that_is_behind() {
    let log = EventLog::new();
    let stream = log.open();
    let mut reader = log.read(stream, None).unwrap();
    fill(&log, stream, 64).await;
    let mut push = Box::pin(log.push(stream, "x"));
    assert!(push.as_mut().now_or_never().is_none());
    let taken = poll_fn(|context| log.poll_next(&mut reader, context)).await;
    assert_eq!(taken.unwrap().0, 1);
    push.await;
    let mut push = Box::pin(log.push(stream, "x"));
    assert!(push.as_mut().now_or_never().is_none());
    log.left(&reader);
    push.await;
}

#[tokio::test]
async fn the_end_of_a_session_ends_its_readers_and_frees_its_writers() {
    let log = EventLog::new();
    let stream = log.open();
    let mut reader = log.read(stream, None).unwrap();
    log.close();
    assert_eq!(rest(&log, &mut reader), (vec![], true));
    log.push(stream, "x").await;
    assert!(log.read(GENERAL, None).is_none());
}

/// What happens to a stream.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// An event is written, if the reader is not too far behind.
    Write,
    /// The reader takes an event.
    Take,
    /// The reader goes away and comes back, having lost so many of the events that it took last.
    ComeBack(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => Just(Step::Write),
        4 => Just(Step::Take),
        1 => (0_u64..5).prop_map(Step::ComeBack),
    ];
    proptest::collection::vec(step, 0..400)
}

proptest! {
    /// Within the bounds of the log, a reader that comes back sees every event once after the last one that it names.
    #[test]
    fn every_event_is_read_in_order_after_the_one_that_is_named(steps in steps()) {
        let log = EventLog::new();
        let stream = log.open();
        let mut reader = log.read(stream, None).unwrap();
        let mut context = Context::from_waker(noop_waker_ref());
        let (mut written, mut taken) = (0, 0);
        for step in steps {
            match step {
                Step::Write => {
                    let done = log.try_push(stream, &Bytes::from_static(b"x"));
                    prop_assert_eq!(done, written - taken < MAX_UNREAD);
                    written += u64::from(done);
                }
                Step::Take => {
                    let next = log.poll_next(&mut reader, &mut context);
                    let expected = (taken < written).then_some(taken + 1);
                    let found = match next {
                        Poll::Ready(Some((number, _))) => Some(number),
                        _ => None,
                    };
                    prop_assert_eq!(found, expected);
                    taken = found.unwrap_or(taken);
                }
                Step::ComeBack(lost) => {
                    log.left(&reader);
                    taken -= lost.min(taken);
                    reader = log.read(stream, Some(taken)).unwrap();
                }
            }
        }
        log.finish(stream);
        let left: Vec<_> = (taken + 1..=written).collect();
        prop_assert_eq!(rest(&log, &mut reader), (left, true));
    }
}

#[tokio::test]
async fn a_stream_that_is_over_and_was_forgotten_goes_with_its_reader() {
    let log = EventLog::new();
    let stream = log.open();
    let cursor = log.read(stream, None).expect("the stream");
    log.push(stream, "last").await;
    log.finish(stream);
    fill(&log, GENERAL, MAX_EVENTS).await;
    assert!(log.state().streams.contains_key(&stream), "it is read");
    log.left(&cursor);
    fill(&log, GENERAL, 1).await;
    assert!(!log.state().streams.contains_key(&stream));
    assert!(log.read(stream, None).is_none());
}

#[tokio::test]
async fn what_a_reader_has_still_to_take_is_not_forgotten_whatever_others_write() {
    let log = EventLog::new();
    let (answered, other) = (log.open(), log.open());
    let mut slow = log.read(answered, None).unwrap();
    let mut quick = log.read(other, None).unwrap();
    log.push(answered, "y".repeat(4 * MAX_EVENT_BYTES)).await;
    log.finish(answered);
    for _ in 0..2 * MAX_EVENTS {
        fill(&log, GENERAL, 1).await;
        fill(&log, other, 1).await;
        assert_eq!(rest(&log, &mut quick).0.len(), 1);
    }
    assert_eq!(rest(&log, &mut slow), (vec![1], true));
    // And then it is: nobody awaits it.
    log.left(&slow);
    assert!(log.state().bytes <= MAX_EVENT_BYTES);
    assert!(log.read(answered, Some(0)).is_none());
}

#[tokio::test]
async fn a_writer_waits_for_a_reader_that_is_behind_by_bytes() {
    let log = EventLog::new();
    let stream = log.open();
    let mut reader = log.read(stream, None).unwrap();
    log.push(stream, "y".repeat(MAX_UNREAD_BYTES - 1)).await;
    log.push(stream, "y").await;
    let mut push = Box::pin(log.push(stream, "y"));
    assert!(push.as_mut().now_or_never().is_none());
    let taken = poll_fn(|context| log.poll_next(&mut reader, context)).await;
    assert_eq!(taken.unwrap().0, 1);
    push.await;
    assert_eq!(rest(&log, &mut reader), (vec![2, 3], false));
}
