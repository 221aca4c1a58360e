//! Arguments in other accepted spellings to the published form.

use std::sync::Arc;

use toolmesh_json::{Value, View};
use toolmesh_tool::{Accept, ArgumentError};

use crate::context::Targeting;
use crate::model::Method;
use crate::shape::Shapes;
use crate::value;

/// Rewrites the arguments of one method. What is not declared is dropped here already, so that an application gets
/// nothing but its own parameters.
#[derive(Debug)]
pub(super) struct AcceptSpellings {
    pub(super) method: Arc<Method>,
    pub(super) shapes: Arc<Shapes>,
    pub(super) targeting: Targeting,
}

impl Accept for AcceptSpellings {
    fn accept(&self, arguments: View<'_>) -> Result<Value, ArgumentError> {
        match arguments.as_object() {
            Some(object) => value::arguments(&self.method, &self.shapes, self.targeting, object),
            // Not an object: the schema refuses it.
            None => Ok(arguments.to_value()),
        }
    }
}
