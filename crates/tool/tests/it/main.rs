//! The core through its public API.
#![cfg(test)]

mod confirmation;
mod dispatch;
mod observer;
mod order;
mod output;
mod resource_and_prompt;
mod stream;
mod support;
mod toolbox;
mod typed;
