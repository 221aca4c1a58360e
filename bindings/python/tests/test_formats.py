"""Provider formats, on the vectors that every language of the tool mesh shares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolmesh import Node, ToolCallParseError, ToolDescriptor, Toolset, anthropic, gemini, mcp, openai

VECTORS = json.loads(
    (Path(__file__).parents[3] / "testdata" / "net" / "golden_vectors.json").read_text()
)
TO = {
    "openai": openai.to_openai_tool,
    "anthropic": anthropic.to_anthropic_tool,
    "mcp": mcp.to_mcp_tool,
    "gemini": gemini.to_gemini_function_declaration,
}
LOWER = {
    "openai": openai.lower_openai_tool_call,
    "anthropic": anthropic.lower_anthropic_tool_use,
    "mcp": mcp.lower_mcp_tools_call,
    "gemini": gemini.lower_gemini_function_call,
}


def described(given: dict[str, Any]) -> ToolDescriptor:
    descriptor = {key: value for key, value in given.items() if not key.endswith("_schema_object")}
    for side in ("input_schema", "output_schema"):
        schema = given.get(f"{side}_object")
        descriptor[side] = None if schema is None else json.dumps(schema)
    return descriptor  # type: ignore[return-value]


@pytest.mark.parametrize("case", VECTORS["descriptors"], ids=lambda case: case["name"])
@pytest.mark.parametrize("provider", TO)
def test_tools_are_written_as_everywhere(case: dict[str, Any], provider: str) -> None:
    assert TO[provider](described(case["input"])) == case[f"lowered_{provider}"]


@pytest.mark.parametrize("case", VECTORS["descriptors"], ids=lambda case: case["name"])
def test_descriptors_cross_as_everywhere(host: Node, agent: Node, case: dict[str, Any]) -> None:
    """Read and announced by the host, read and written again for whoever asks: not only through a JSON parser."""
    given = case["input"]
    with host.serve_tool(described(given), lambda _: None):
        told: dict[str, Any] = {**agent.describe_tool(given["tool_id"])}
    for side in ("input_schema", "output_schema"):
        text = told.pop(side)
        told[f"{side}_object"] = None if text is None else json.loads(text)
    assert told == {**given, "node_count": 1}  # One node serves it.


@pytest.mark.parametrize("provider", LOWER)
def test_calls_are_read_as_everywhere(provider: str) -> None:
    cases = VECTORS[f"lower_{provider}_cases"]
    assert cases
    for case in cases:
        call = LOWER[provider](case["reply_json"])
        expected = case["expected_spec"]
        assert (call.name, call.provider_call_id) == (expected["name"], expected["provider_call_id"])
        if "arguments_json" in expected:
            assert call.arguments_json == expected["arguments_json"]
        else:
            assert call.arguments == expected["arguments_parsed"]


@pytest.mark.parametrize("case", VECTORS["error_cases"], ids=lambda case: case["name"])
def test_what_is_no_call_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(ToolCallParseError):
        LOWER[case["provider"]](case["reply_json"])


def test_a_toolset_goes_to_the_model_and_back() -> None:
    descriptor: ToolDescriptor = {
        "tool_id": "web.search",
        "description": "Search.",
        "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    }
    toolset = Toolset("anthropic", [descriptor])
    sent = toolset.tools[0]["name"]
    reply = {"content": [{"type": "tool_use", "id": "c1", "name": sent, "input": {"n": 2**70}}]}
    assert toolset.calls(reply) == [{"name": "web.search", "arguments": {"n": 2**70}, "call_id": "c1"}]
    messages = toolset.messages([{"name": "web.search", "call_id": "c1", "result": {"hits": []}}])
    assert "c1" in json.dumps(messages)
