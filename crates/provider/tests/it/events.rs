//! T-2: the vectors of tool events, and the results that streams of them come to.

use toolmesh_provider::result_of_events;
use toolmesh_tool::ToolEvent;

use crate::support::json;

#[test]
fn every_event_comes_back_as_it_went_and_knows_whether_it_ends_the_stream() {
    let vectors = json(include_str!("../../../../testdata/net/tool_event_vectors.json"));
    let cases = vectors.get("cases").unwrap().as_array().unwrap();
    assert_eq!(cases.len(), 15);
    for case in cases {
        let wire = case.get("wire").unwrap();
        let event = ToolEvent::from_value(wire).unwrap();
        assert_eq!(event.to_value().view(), wire);
        assert_eq!(
            Some(event.is_terminal()),
            case.get("is_terminal").unwrap().as_bool()
        );
    }
}

#[test]
fn a_stream_comes_to_the_result_of_its_terminal_event() {
    let events = |lines: &[&str]| -> Vec<ToolEvent> {
        let read = |line: &&str| ToolEvent::from_value(json(line).view()).unwrap();
        lines.iter().map(read).collect()
    };
    let result = result_of_events(events(&[
        r#"{"type":"start","tool_id":"t"}"#,
        r#"{"type":"delta","data":"hal"}"#,
        r#"{"type":"result","data":{"n":18446744073709551616}}"#,
    ]));
    assert_eq!(result.joined_text(), r#"{"n":18446744073709551616}"#);
    assert!(!result.is_error);

    let result = result_of_events(events(&[
        r#"{"type":"error","code":"upstream_timeout","message":"too slow"}"#,
    ]));
    assert_eq!(
        (result.is_error, result.joined_text().as_str()),
        (true, "upstream_timeout: too slow")
    );
    let result = result_of_events(events(&[
        r#"{"type":"error","code":"tool_error","message":"no such city"}"#,
    ]));
    assert_eq!(result.joined_text(), "no such city");

    let result = result_of_events(events(&[r#"{"type":"progress"}"#]));
    assert!(result.is_error && result.joined_text().starts_with("missing_terminal: "));
}
