//! The bounds of everything that an application may take of this process.

use std::time::Duration;

/// The largest module that is compiled, in bytes: what a node takes.
pub const MAX_MODULE_BYTES: usize = 20 << 20;

/// The largest arguments of a call, in bytes of JSON: what a node takes.
pub const MAX_INPUT_BYTES: usize = 10 << 20;

/// The largest answer of a method, in bytes of JSON. As large as the arguments may be, so that what was stored in one
/// call can be read in another.
pub const MAX_OUTPUT_BYTES: usize = 10 << 20;

/// The most that an application may say when it fails, in bytes: enough for words and a position, where it could say 64 MiB.
pub const MAX_ERROR_BYTES: usize = 64 << 10;

/// The most memory of a running application, in pages of 64 KiB: 64 MiB, which the runtime names as its own bound and
/// does not hold to.
pub const MAX_MEMORY_PAGES: u32 = 1_024;

/// The most entries of its tables together. Tables hold the functions that are called indirectly, a few thousand in a
/// large application.
pub const MAX_TABLE_ENTRIES: u32 = 1 << 20;

/// The most operations of one call. An ordinary call takes some millions; this many take a few seconds.
pub const MAX_OPERATIONS: u64 = 2_000_000_000;

/// How long one call may take. The operations end sooner, except for a call that spends its time in functions of the
/// runtime.
pub const MAX_CALL_TIME: Duration = Duration::from_secs(30);

/// The most that one context keeps, in bytes of keys and values and [`ENTRY_BYTES`] for each.
pub const MAX_STATE_BYTES: usize = 64 << 20;

/// How much of what one call logged is told, in bytes: enough to read. The runtime takes up to 16 MiB of one call.
pub const MAX_LOG_BYTES: usize = 64 << 10;

/// What an entry of the state counts beside its key and its value, in bytes: about what it takes in memory.
pub const ENTRY_BYTES: usize = 64;

/// What one application may take; each default is the constant of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a module.
    pub module_bytes: usize,
    /// Bytes of the arguments of a call.
    pub input_bytes: usize,
    /// Bytes of an answer.
    pub output_bytes: usize,
    /// Pages of memory, of 64 KiB each.
    pub memory_pages: u32,
    /// Entries of all tables.
    pub table_entries: u32,
    /// Operations of one call.
    pub operations: u64,
    /// Time of one call.
    pub call_time: Duration,
    /// Bytes of a context's state.
    pub state_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            module_bytes: MAX_MODULE_BYTES,
            input_bytes: MAX_INPUT_BYTES,
            output_bytes: MAX_OUTPUT_BYTES,
            memory_pages: MAX_MEMORY_PAGES,
            table_entries: MAX_TABLE_ENTRIES,
            operations: MAX_OPERATIONS,
            call_time: MAX_CALL_TIME,
            state_bytes: MAX_STATE_BYTES,
        }
    }
}
