//! Calls out of streamed replies.

use toolmesh_provider::{
    CallFault, MAX_ARGUMENT_BYTES, MAX_OPEN_CALLS, Options, Provider, StreamItem, Toolset,
};

use crate::support::{json, tool};

fn toolset(provider: Provider) -> Toolset {
    let schema = r#"{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"],"additionalProperties":false}"#;
    Toolset::translate(
        provider,
        ["weather", "a.b"].map(|name| tool(name, schema)),
        &Options::default(),
    )
}

fn run(toolset: &Toolset, events: &[&str]) -> Vec<StreamItem> {
    let mut stream = toolset.stream();
    let mut items: Vec<StreamItem> = events
        .iter()
        .flat_map(|event| stream.push(json(event).view()))
        .collect();
    items.extend(stream.finish());
    items
}

fn shown(items: Vec<StreamItem>) -> Vec<String> {
    let show = |item: StreamItem| match item {
        Ok(spec) => format!(
            "{} {} {}",
            spec.provider_call_id.unwrap_or_default(),
            spec.name,
            spec.arguments_json
        ),
        Err(failed) => format!(
            "{} {} failed: {failed}",
            failed.provider_call_id.clone().unwrap_or_default(),
            failed.name
        ),
    };
    items.into_iter().map(show).collect()
}

#[test]
fn two_parallel_calls_of_openai_are_put_together() {
    let toolset = toolset(Provider::OpenAi);
    let dotted = toolset.names().sent("a.b").unwrap();
    let second = format!(
        r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":1,"id":"c2","function":{{"name":"{dotted}","arguments":"{{\"city\":\"R"}}}}]}}}}]}}"#
    );
    let events = [
        r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"weather","arguments":""}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":\"Os"}}]}}]}"#,
        &second,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"lo\",\"days\":null}"}},{"index":1,"function":{"arguments":"om\",\"days\":9007199254740993}"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
    ];
    assert_eq!(
        shown(run(&toolset, &events)),
        [
            r#"c1 weather {"city":"Oslo"}"#,
            r#"c2 a.b {"city":"Rom","days":9007199254740993}"#
        ]
    );
}

#[test]
fn the_events_of_responses_make_calls() {
    let events = [
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"r"}}"#,
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"fc","call_id":"c1","name":"weather","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"city\":"}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":"\"Oslo\",\"days\":null}"}"#,
        r#"{"type":"response.function_call_arguments.done","output_index":1,"arguments":"{\"city\":\"Oslo\",\"days\":null}"}"#,
        r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"c1","name":"weather","arguments":"{\"city\":\"Oslo\",\"days\":null}"}}"#,
        r#"{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","call_id":"c2","name":"weather","arguments":""}}"#,
        r#"{"type":"response.incomplete","response":{}}"#,
    ];
    let items = run(&toolset(Provider::OpenAiResponses), &events);
    assert!(matches!(&items[1], Err(failed) if matches!(failed.fault, CallFault::Truncated(_))));
    assert_eq!(shown(items)[0], r#"c1 weather {"city":"Oslo"}"#);
}

#[test]
fn the_blocks_of_anthropic_make_calls() {
    let events = [
        r#"{"type":"message_start","message":{}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me see"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"weather","input":{}}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"city\": \"Os"}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"lo\"}"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t2","name":"weather","input":{}}}"#,
        r#"{"type":"content_block_stop","index":2}"#,
        r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t3","name":"weather","input":{}}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"city\""}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    insta::assert_snapshot!(shown(run(&toolset(Provider::Anthropic), &events)).join("\n"));
}

#[test]
fn the_parts_of_gemini_are_whole_calls() {
    let events = [
        r#"{"candidates":[{"content":{"parts":[{"text":"x"},{"functionCall":{"name":"weather","args":{"city":"Oslo"}}}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"id":"g2","name":"weather","args":{"city":"Rom"}}}]},"finishReason":"STOP"}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"weather","partialArgs":[],"willContinue":true}}]}}]}"#,
        r#"{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}"#,
    ];
    insta::assert_snapshot!(shown(run(&toolset(Provider::Gemini), &events)).join("\n"));
}

#[test]
fn what_was_cut_off_or_garbled_is_told_as_such() {
    let toolset = toolset(Provider::OpenAi);
    let begun = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"weather","arguments":"{\"city\""}}]}}]}"#;
    let fault = |events: &[&str]| run(&toolset, events).remove(0).unwrap_err().fault;
    assert!(matches!(fault(&[begun]), CallFault::Truncated(_)));
    let length = r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#;
    assert!(matches!(fault(&[begun, length]), CallFault::Truncated(_)));
    let stop = r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#;
    assert!(matches!(fault(&[begun, stop]), CallFault::Parse(_)));
}

#[test]
fn a_stream_is_bounded() {
    let toolset = toolset(Provider::OpenAi);
    let fragment = |index: usize, text: &str| {
        format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":{index},"id":"c{index}","function":{{"name":"weather","arguments":"{text}"}}}}]}}}}]}}"#
        )
    };
    let stop = r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#;
    let count = |calls: usize| {
        let mut events: Vec<String> = (0..calls).map(|index| fragment(index, "")).collect();
        events.push(stop.to_owned());
        let items = run(&toolset, &events.iter().map(String::as_str).collect::<Vec<_>>());
        items.iter().filter(|item| item.is_err()).count()
    };
    assert_eq!((count(MAX_OPEN_CALLS), count(MAX_OPEN_CALLS + 2)), (0, 1));

    let bytes = |count: usize| {
        let piece = 1 << 18;
        let mut events = vec![fragment(0, &" ".repeat(piece)); count / piece];
        events.push(fragment(0, &" ".repeat(count % piece)));
        events.push(stop.to_owned());
        run(&toolset, &events.iter().map(String::as_str).collect::<Vec<_>>()).remove(0)
    };
    assert!(bytes(MAX_ARGUMENT_BYTES).is_ok());
    assert!(matches!(
        bytes(MAX_ARGUMENT_BYTES + 1).unwrap_err().fault,
        CallFault::TooLarge(_)
    ));
}
