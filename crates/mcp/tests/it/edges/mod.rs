//! The edges of the HTTP endpoint: who is let in, from where, over what, and how much of it.

mod anonymous;
mod any_bytes;
mod auth;
mod compact;
mod cors;
mod hostile;
mod issuer;
mod rotation;
mod tls;
