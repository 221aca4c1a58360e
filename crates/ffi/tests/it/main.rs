//! The C interface, as the header tells of it.
#![cfg(test)]

mod header;
