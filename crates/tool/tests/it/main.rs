//! The core through its public API.
#![cfg(test)]

mod confirmation;
mod dispatch;
mod input;
mod kept_file;
mod observer;
mod order;
mod output;
mod policy;
mod registration;
mod resource_and_prompt;
mod search;
mod stream;
mod stress;
mod support;
mod task;
mod toolbox;
mod typed;
mod visible;
