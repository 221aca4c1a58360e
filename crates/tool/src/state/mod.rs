//! What a client carries between the rounds of one call, and how it is kept from being read, changed, or used
//! elsewhere.
//!
//! A call that asks for input ends, and is made again with the answers (see [`crate::InputRequired`]). Between the two
//! the server remembers nothing: what the tool wants to know again goes to the client and comes back. A tool says in
//! its registration who protects that state ([`RequestStateMode`]). In framework-protected mode the dispatcher seals
//! it with a [`StateProtector`]: encrypted and authenticated, bound to the endpoint, the revision, the caller's
//! partition and the very parameters of the call, limited in time and in rounds, and refused with one and the same
//! answer whatever is wrong with it.
//!
//! The sealed form is `soklet-mcp-protection-v1`, so that servers of both makes may share keys.

mod binding;
mod key;
mod key_ring;
mod mode;
mod plaintext;
mod protector;
mod seal;

pub use binding::{StateBinding, bound_parameters};
pub use key::{KeyError, MAX_KEY_BYTES, MAX_KEY_ID_CHARS, MIN_KEY_BYTES, MasterKey};
pub use key_ring::{KeyRing, KeyRingError, MAX_KEYS};
pub use mode::RequestStateMode;
pub use protector::{
    DEFAULT_LIFETIME, MAX_ROUNDS, MAX_SEALED_BYTES, OpenedState, RefusedState, SealError, StateProtector,
};
