//! Asking the client for more while a call is under way.

mod declaration;
mod form;
mod request;

pub use declaration::{InputDeclaration, InputKind};
pub use form::{FormError, MAX_FORM_PROPERTIES, check_form};
pub use request::{InputRequest, InputRequired, MAX_INPUT_KEY_BYTES, MAX_INPUT_REQUESTS, MAX_STATE_BYTES};
