//! Calls of the protocol come whole: one request, one call.

use toolmesh_json::View;

use super::call::{find, read};
use crate::stream::Collector;

/// Takes one request.
pub(crate) fn push(collector: &mut Collector, request: View<'_>) {
    collector.read(find(request).unwrap_or_default(), read);
}
