//! Following a resource: for as long as somebody wants to be told of its changes.

use std::fmt;

/// Somebody follows a resource for as long as this is kept ([`crate::ResourceReader::follow`]).
///
/// It holds what the source needs for that; dropping it ends the following, so it must be quick to drop.
#[derive(Default)]
pub struct Following {
    kept: Option<Box<dyn Send + Sync>>,
}

impl Following {
    /// A following that lasts as long as `kept` does.
    pub fn new(kept: impl Send + Sync + 'static) -> Self {
        Self {
            kept: Some(Box::new(kept)),
        }
    }
}

impl fmt::Debug for Following {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Following")
            .field("held", &self.kept.is_some())
            .finish()
    }
}
