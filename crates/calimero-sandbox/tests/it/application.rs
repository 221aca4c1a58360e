//! What needs the runtime.

mod bounds;
mod instance;
mod refused;
mod running;
mod state;
mod support;
