//! Completions.

use toolmesh_json::{Value, View};
use toolmesh_tool::CompletionValues;

use crate::client::error::ClientError;

/// Reads the result of `completion/complete`.
pub(in crate::client) fn completions(result: &Value) -> Result<CompletionValues, ClientError> {
    let completion = result.get("completion");
    let values = completion
        .and_then(|completion| completion.get("values"))
        .and_then(View::as_array)
        .ok_or(ClientError::Protocol("a completion came without values"))?;
    let member = |name: &str| completion.and_then(|completion| completion.get(name));
    let total = member("total").and_then(View::as_u64);
    Ok(CompletionValues::part(
        values
            .iter()
            .filter_map(|value| value.as_str().map(str::to_owned)),
        total.and_then(|total| usize::try_from(total).ok()),
        member("hasMore").and_then(View::as_bool).unwrap_or_default(),
    ))
}
