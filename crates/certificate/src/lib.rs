//! What the mesh and its links both have to know of certificates: whom the end that connects believes (`any_name`), and when
//! certificates end (`end`).

mod any_name;
mod end;

pub use any_name::AnyName;
pub use end::{End, come};
