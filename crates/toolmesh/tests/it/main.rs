//! The library through its public face: configurations and sources put together.

mod assembling;
mod native;
