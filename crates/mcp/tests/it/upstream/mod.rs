//! Other servers as sources: our own over HTTP, and scripted ones for what a right server never says.

mod asking;
mod following;
mod hostile;
mod own;
mod real;
mod script;
mod scripted;
mod support;
