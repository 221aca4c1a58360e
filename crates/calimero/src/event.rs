//! Events of an application by its interface: what their payloads are, and what does not go with it.

use toolmesh_json::{ObjectBuilder, Value, View};
use toolmesh_schema::{Profile, Schema};

use crate::describe::type_name;
use crate::model::{Event, Manifest};
use crate::schema::event_schema;

/// What is said of an event that the interface does not declare.
const UNDECLARED: &str = "the application's interface declares no such event";

/// What is said of a payload that is not of its event's type.
const UNFIT: &str = "the payload is not of the type that the application's interface declares";

/// The events `{"name", "payload"}` of an application, each with the type of its payload where the interface declares
/// one, and with a `note` where event and interface do not go together. An event is told in any case: an application
/// may be newer than what was read of it.
#[must_use]
pub fn typed_events(manifest: &Manifest, events: View<'_>) -> Value {
    match events.as_array() {
        Some(events) => events.iter().map(|event| typed(manifest, event)).collect(),
        None => events.to_value(),
    }
}

fn typed(manifest: &Manifest, event: View<'_>) -> Value {
    let name = event.get("name").and_then(View::as_str).unwrap_or_default();
    let members = event.as_object().into_iter().flatten();
    let members: ObjectBuilder = members.map(|(key, value)| (key, value.to_value())).collect();
    let Some(declared) = manifest.events.iter().find(|event| event.name == name) else {
        return members.put("note", UNDECLARED).build();
    };
    let fits = is_of_its_type(manifest, declared, event.get("payload"));
    members
        .put_opt("type", declared.payload.as_ref().map(type_name))
        .put_opt("note", (!fits).then_some(UNFIT))
        .build()
}

fn is_of_its_type(manifest: &Manifest, declared: &Event, payload: Option<View<'_>>) -> bool {
    let payload = payload.filter(|payload| !payload.is_null());
    match (&declared.payload, payload) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(ty), Some(payload)) => {
            let schema = Schema::compile(event_schema(manifest, ty), Profile::Draft2020_12);
            schema.is_ok_and(|schema| schema.evaluate(&payload.to_value()).is_valid())
        }
    }
}
