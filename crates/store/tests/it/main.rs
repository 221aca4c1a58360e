//! The stores through their public API, SQLite in a file and a real PostgreSQL.
#![cfg(test)]

mod contract;
mod kill;
mod random;
mod sqlite;
mod support;
