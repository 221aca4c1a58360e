"""Lets the packages of model providers judge tool formats, without any network.

`models` prints pydantic models as their JSON Schema and as `openai` makes them strict:

    [{"name": "Booking", "schema": {...}, "strict": {...}}]

`judge FILE` reads [[kind, value], ...] and prints what was refused or not understood to the end:

    {"seen": {"gemini_tool": 12}, "faults": [{"kind": ..., "value": ..., "fault": "..."}]}

where each kind names what the value is to be; see KINDS.
"""

import enum
import json
import sys
import warnings
from collections import Counter
from typing import List, Literal, Optional, Union

import anthropic
import openai
from anthropic.types import MessageParam, ToolParam
from google.genai import types as gemini
from mcp.types import CallToolResult, Tool
from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionMessageParam
from openai.types.responses import FunctionToolParam
from openai.types.responses.response_input_item_param import FunctionCallOutput
from pydantic import BaseModel, Field, TypeAdapter

# A word that a package does not know becomes a warning in one of them; here it is a fault.
warnings.simplefilter("error")


class Color(enum.Enum):
    RED = "red"
    GREEN = "green"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Address(BaseModel):
    """Where someone lives."""

    street: str
    number: int = Field(ge=1, le=9999, description="The house.")
    zip: Optional[str] = None


class Node(BaseModel):
    value: float
    children: List["Node"]
    next: Optional["Node"] = None


class Scalars(BaseModel):
    text: str = Field(description="Any text.")
    whole: int
    real: float = Field(gt=0, lt=1)
    flag: bool
    step: int = Field(multiple_of=5)
    code: str = Field(pattern="^[a-z]{2}$")


class Nothing(BaseModel):
    pass


class Booking(BaseModel):
    """A stay."""

    city: str
    kind: Literal["single", "double"]
    only: Literal["x"]
    color: Color
    level: Level = Field(description="How good.")
    home: Address = Field(description="Of the guest.")
    work: Optional[Address] = None
    guests: List[Address] = Field(min_length=1, max_length=4)
    either: Union[int, str, List[float]]
    note: Optional[str] = Field(default=None, description="For the house.")


class Tree(BaseModel):
    title: str
    root: Node


MODELS = [Address, Node, Scalars, Nothing, Booking, Tree]


def models():
    return [
        {
            "name": model.__name__,
            "schema": model.model_json_schema(),
            "strict": openai.pydantic_function_tool(model)["function"]["parameters"],
        }
        for model in MODELS
    ]


def upper_types(schema):
    """Gemini's package spells types in capitals."""
    if isinstance(schema, list):
        return [upper_types(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {}
    for key, value in schema.items():
        if key == "properties":
            changed[key] = {name: upper_types(part) for name, part in value.items()}
        elif key in ("items", "anyOf"):
            changed[key] = upper_types(value)
        else:
            changed[key] = value.upper() if key == "type" else value
    return changed


def gemini_tool(value):
    tool = gemini.Tool.model_validate(value)
    for declared, sent in zip(tool.function_declarations, value["functionDeclarations"], strict=True):
        if "parameters" in sent:
            understood = declared.parameters.model_dump(mode="json", by_alias=True, exclude_none=True)
            if understood != upper_types(sent["parameters"]):
                raise ValueError(f"understood as {json.dumps(understood)}")


def anthropic_strict_schema(value):
    made = anthropic.transform_schema(value)
    if made != value:
        raise ValueError(f"changed to {json.dumps(made)}")


def shape(kind):
    return TypeAdapter(kind).validate_python


KINDS = {
    "openai_tool": shape(ChatCompletionFunctionToolParam),
    "openai_message": shape(ChatCompletionMessageParam),
    "responses_tool": shape(FunctionToolParam),
    "responses_item": shape(FunctionCallOutput),
    "anthropic_tool": shape(ToolParam),
    "anthropic_message": shape(MessageParam),
    "anthropic_strict_schema": anthropic_strict_schema,
    "gemini_tool": gemini_tool,
    "gemini_content": gemini.Content.model_validate,
    "mcp_tool": Tool.model_validate,
    "mcp_result": CallToolResult.model_validate,
}


def judge(entries):
    seen, faults = Counter(), []
    for kind, value in entries:
        seen[kind] += 1
        try:
            KINDS[kind](value)
        except Exception as error:  # whatever a package raises is its verdict
            faults.append({"kind": kind, "value": value, "fault": f"{type(error).__name__}: {error}"})
    return {"seen": seen, "faults": faults}


def main():
    if sys.argv[1] == "models":
        report = models()
    else:
        with open(sys.argv[2], encoding="utf-8") as file:
            report = judge(json.load(file))
    print(json.dumps(report))


if __name__ == "__main__":
    main()
