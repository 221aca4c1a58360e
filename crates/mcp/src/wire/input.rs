//! Asking the client for input, inside a result or by a request, and what a client must be able to do.

use toolmesh_json::write_value;
use toolmesh_tool::{ClientCapability, InputRequest, InputRequired};

use super::ObjectWriter;
use crate::revision::{Asking, Projection};

/// Writes the members of an `InputRequiredResult`, except `_meta`.
pub(crate) fn write_input_required(
    object: &mut ObjectWriter<'_>,
    input: &InputRequired,
    projection: &Projection,
) {
    if !input.requests.is_empty() {
        let mut requests = ObjectWriter::open(object.member("inputRequests"));
        for (key, request) in &input.requests {
            write_request(requests.foreign_member(key), request, projection);
        }
        requests.close();
    }
    object.text_opt("requestState", input.state.as_deref());
}

/// Writes one request as an object of `method` and, where it has some, `params`.
pub(crate) fn write_request(out: &mut Vec<u8>, request: &InputRequest, projection: &Projection) {
    let mut object = ObjectWriter::open(out);
    write_request_members(&mut object, request, projection);
    object.close();
}

/// Writes the members `method` and `params` of one request.
pub(crate) fn write_request_members(
    object: &mut ObjectWriter<'_>,
    request: &InputRequest,
    projection: &Projection,
) {
    match request {
        InputRequest::Elicitation { message, schema } => {
            object.text("method", "elicitation/create");
            object.object("params", |params| {
                if projection.elicitation_modes {
                    params.text("mode", "form");
                }
                params.text("message", message);
                params.value("requestedSchema", schema.view());
            });
        }
        InputRequest::ElicitationUrl {
            message,
            url,
            elicitation_id,
        } => {
            object.text("method", "elicitation/create");
            object.object("params", |params| {
                params.text("mode", "url");
                params.text("message", message);
                params.text("url", url);
                // Where a result asks, there is no id of an elicitation: the request's key stands for it.
                if projection.asking == Asking::InLine {
                    params.text("elicitationId", elicitation_id);
                }
            });
        }
        InputRequest::Sampling(params) => {
            object.text("method", "sampling/createMessage");
            write_value(object.member("params"), params.view());
        }
        // Requests of kinds that come later are asked for in no other way than this one.
        _ => object.text("method", "roots/list"),
    }
}

/// Writes the `data` of a missing-capability error: the capabilities, as a client would declare them.
pub(crate) fn write_required_capabilities(out: &mut Vec<u8>, missing: &[ClientCapability]) {
    let mut data = ObjectWriter::open(out);
    data.object("requiredCapabilities", |object| {
        let needs = |capability: &ClientCapability| missing.contains(capability);
        let (form, url) = (
            needs(&ClientCapability::ElicitationForm),
            needs(&ClientCapability::ElicitationUrl),
        );
        if form || url {
            object.object("elicitation", |modes| {
                for (mode, needed) in [("form", form), ("url", url)] {
                    if needed {
                        modes.raw(mode, b"{}");
                    }
                }
            });
        }
        for (name, capability) in [
            ("sampling", ClientCapability::Sampling),
            ("roots", ClientCapability::Roots),
        ] {
            if needs(&capability) {
                object.raw(name, b"{}");
            }
        }
        write_extensions(object, missing);
    });
    data.close();
}

fn write_extensions(object: &mut ObjectWriter<'_>, missing: &[ClientCapability]) {
    let names: Vec<&str> = missing
        .iter()
        .filter_map(|capability| match capability {
            ClientCapability::Extension(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    if !names.is_empty() {
        object.object("extensions", |extensions| {
            for name in names {
                extensions.foreign_member(name).extend_from_slice(b"{}");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_capabilities_are_told_as_a_client_declares_them() {
        let told = |missing: &[ClientCapability]| {
            let mut out = Vec::new();
            write_required_capabilities(&mut out, missing);
            String::from_utf8(out).expect("UTF-8")
        };
        assert_eq!(
            told(&[ClientCapability::Sampling]),
            r#"{"requiredCapabilities":{"sampling":{}}}"#
        );
        assert_eq!(
            told(&[
                ClientCapability::Extension("com.example/x".into()),
                ClientCapability::ElicitationForm,
                ClientCapability::ElicitationUrl,
            ]),
            r#"{"requiredCapabilities":{"elicitation":{"form":{},"url":{}},"extensions":{"com.example/x":{}}}}"#
        );
    }
}
