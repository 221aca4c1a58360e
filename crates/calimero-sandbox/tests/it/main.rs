//! Applications that run in this process, through the crate's public API.
#![cfg(test)]

#[cfg(feature = "runtime")]
mod application;
mod pinned;
