//! Other servers as sources: our own over HTTP, and scripted ones for what a right server never says.

mod own;
mod real;
mod scripted;
mod support;
