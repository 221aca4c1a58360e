//! What an application said when it said no.

use toolmesh_json::{View, parse};

/// The application's own message in the `data` of a `FunctionCallError`: the bytes of its JSON stand in Rust's debug
/// form, `[34, 98, ..]`; a JSON string is unwrapped. A text without such bytes is the message; `None` when it is blank.
#[must_use]
pub fn guest_message(data: &str) -> Option<String> {
    let text = match bytes_in(data) {
        Some(bytes) => String::from_utf8_lossy(&bytes).trim().to_owned(),
        None => data.trim().to_owned(),
    };
    let unwrapped = parse(text.as_bytes())
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned));
    let message = unwrapped.unwrap_or(text);
    (!message.trim().is_empty()).then_some(message)
}

/// The first list of bytes in a text.
fn bytes_in(text: &str) -> Option<Vec<u8>> {
    text.match_indices('[').find_map(|(start, _)| {
        let list = text.get(start + 1..)?;
        let list = list.get(..list.find(']')?)?;
        list.split(',').map(|number| number.trim().parse().ok()).collect()
    })
}

/// The message of a typed error: its `message`, or the data as text.
pub(super) fn data_message(data: Option<View<'_>>) -> Option<String> {
    let data = data.filter(|data| !data.is_null())?;
    if let Some(text) = data.as_str() {
        return (!text.trim().is_empty()).then(|| text.to_owned());
    }
    let message = data.get("message").and_then(View::as_str);
    let is_empty = data.as_object().is_some_and(|object| object.is_empty());
    match message {
        Some(message) => Some(message.to_owned()),
        None => (!is_empty).then(|| data.to_text()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_a_json_string_are_the_message() {
        let data = "the method call returned an error: [34, 110, 111, 34]";
        assert_eq!(guest_message(data).as_deref(), Some("no"));
    }

    #[test]
    fn the_bytes_of_other_json_are_the_message_as_they_are() {
        let json = r#"{"kind":"NotFound","data":"k"}"#;
        let bytes: Vec<String> = json.bytes().map(|byte| byte.to_string()).collect();
        let data = format!("returned an error: [{}]", bytes.join(", "));
        assert_eq!(guest_message(&data).as_deref(), Some(json));
    }

    #[test]
    fn a_text_without_bytes_is_the_message() {
        let panic = "guest panicked: index [7 of 3] at lib.rs:1:2";
        assert_eq!(guest_message(panic).as_deref(), Some(panic));
        assert_eq!(guest_message(" "), None);
        assert_eq!(guest_message("x: [34, 34]"), None);
        assert_eq!(guest_message("x: [300]").as_deref(), Some("x: [300]"));
    }
}
