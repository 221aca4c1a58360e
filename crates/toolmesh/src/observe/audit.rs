//! Audit records: one line of JSON for each call.

use std::{
    io::{self, Write},
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread::JoinHandle,
    time::{SystemTime, UNIX_EPOCH},
};

use toolmesh_json::Value;
use toolmesh_tool::{CallEnd, CallInfo, Observer};

use super::audit_file::{AuditFile, Rotation};

/// Most records that wait to be written; a record that finds no room is counted, and the count is written.
pub const AUDIT_QUEUE: usize = 8_192;

/// Where records go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditTarget {
    /// To standard error, among the log.
    Stderr,
    /// To the end of a file, which is made for its owner alone when it is not there.
    File(PathBuf),
}

/// Why records cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The file cannot be opened.
    #[error("the audit file {} cannot be written: {reason}; check the folder and its permissions", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// There is no thread to write with.
    #[error("the thread that writes audit records cannot be started: {0}")]
    Thread(io::Error),
}

/// Writes one line for each call that ended, the refused ones too: when, who, what, how it ended, and how long it took.
///
/// Lines are written by a thread of their own, so that no call waits for a disk. Dropping the audit writes what is left.
#[derive(Debug)]
pub struct Audit {
    records: Option<SyncSender<String>>,
    lost: AtomicU64,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Audit {
    /// Begins to write; a file is put aside as `rotation` says.
    ///
    /// # Errors
    /// [`AuditError`] when the file or the thread is not to be had.
    pub fn start(target: &AuditTarget, rotation: Option<Rotation>) -> Result<Self, AuditError> {
        let (records, queue) = sync_channel(AUDIT_QUEUE);
        let builder = std::thread::Builder::new().name("toolmesh-audit".to_owned());
        let writer = match target {
            AuditTarget::Stderr => builder.spawn(move || write_all(&queue, io::stderr())),
            AuditTarget::File(file) => {
                let opened = AuditFile::open(file, rotation).map_err(|reason| AuditError::File {
                    file: file.clone(),
                    reason,
                })?;
                builder.spawn(move || write_all(&queue, opened))
            }
        };
        Ok(Self {
            records: Some(records),
            lost: AtomicU64::new(0),
            writer: Mutex::new(Some(writer.map_err(AuditError::Thread)?)),
        })
    }

    fn write(&self, line: String) {
        let Some(records) = &self.records else { return };
        let lost = self.lost.swap(0, Ordering::Relaxed);
        let line = match lost {
            0 => line,
            lost => format!(
                "{}\n{line}",
                Value::object().put("lost_records", lost).build().to_text()
            ),
        };
        if let Err(TrySendError::Full(_)) = records.try_send(line) {
            self.lost.fetch_add(lost + 1, Ordering::Relaxed);
        }
    }
}

impl Observer for Audit {
    fn ended(&self, call: &CallInfo, end: &CallEnd) {
        self.write(record(call, end).to_text());
    }
}

impl Drop for Audit {
    fn drop(&mut self) {
        drop(self.records.take());
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Err(_)) = writer.map(JoinHandle::join) {
            tracing::error!("the thread that wrote audit records panicked");
        }
    }
}

/// Writes lines until nobody sends any more; flushes whenever it has caught up.
fn write_all(queue: &Receiver<String>, mut out: impl Write) {
    let mut failed = false;
    while let Ok(first) = queue.recv() {
        let mut waiting = std::iter::once(first).chain(queue.try_iter());
        let written = waiting
            // One write a line, so that no line is parted between two files.
            .try_for_each(|line| out.write_all(format!("{line}\n").as_bytes()))
            .and_then(|()| out.flush());
        match &written {
            Err(error) if !failed => {
                tracing::error!(%error, "audit records cannot be written; they are lost")
            }
            Ok(()) if failed => tracing::warn!("audit records are written again"),
            _ => {}
        }
        failed = written.is_err();
    }
}

/// The line: `time` in seconds since 1970, `duration_ms` from the question to its end.
fn record(call: &CallInfo, end: &CallEnd) -> Value {
    let caller = &call.caller;
    let gateways = caller.on_behalf_of.iter();
    let gateways = gateways.fold(Value::array(), |all, gateway| all.push(gateway.as_str()));
    Value::object()
        .put("time", seconds(call.began))
        .put("call", call.call)
        .put("operation", call.operation)
        .put("target", call.target.as_str())
        .put_opt("identity", caller.identity.as_deref())
        .put("partition", caller.partition.as_str())
        .put("transport", format!("{:?}", caller.transport).to_lowercase())
        .put("on_behalf_of", gateways)
        .put("outcome", end.kind.code())
        .put(
            "duration_ms",
            u64::try_from(end.duration.as_millis()).unwrap_or(u64::MAX),
        )
        .put("blocks", u64::try_from(end.blocks).unwrap_or(u64::MAX))
        .put_opt("trace", call.trace.map(|trace| trace.to_string()))
        .build()
}

/// Whole milliseconds, as seconds.
fn seconds(time: SystemTime) -> toolmesh_json::Number {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let text = format!("{}.{:03}", since.as_secs(), since.subsec_millis());
    toolmesh_json::Number::parse(&text).unwrap_or_else(|_| since.as_secs().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_that_find_no_room_are_counted_and_the_count_is_written() {
        let (records, queue) = sync_channel(AUDIT_QUEUE);
        let audit = Audit {
            records: Some(records),
            lost: AtomicU64::new(0),
            writer: Mutex::new(None),
        };
        for _ in 0..AUDIT_QUEUE {
            audit.write("line".to_owned());
        }
        assert_eq!(audit.lost.load(Ordering::Relaxed), 0);
        audit.write("lost".to_owned());
        audit.write("lost too".to_owned());
        assert_eq!(audit.lost.load(Ordering::Relaxed), 2);
        queue.recv().unwrap();
        audit.write("last".to_owned());
        let written: Vec<String> = queue.try_iter().collect();
        assert_eq!(written.len(), AUDIT_QUEUE);
        assert_eq!(written.last().unwrap(), "{\"lost_records\":2}\nlast");
    }
}
