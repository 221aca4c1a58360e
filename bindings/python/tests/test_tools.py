"""Tools of functions: schemas from hints, and what arrives."""

from __future__ import annotations

import dataclasses
import decimal
import enum
from typing import Annotated, Any, Literal, Optional, TypedDict, Union

import pydantic
import pytest

from toolmesh import Context, Node, ToolDescriptor, descriptor_for, errors, tool


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Tree:
    name: str
    children: list[Tree] = dataclasses.field(default_factory=list)


class Place(TypedDict):
    city: str
    zip: int


class Order(pydantic.BaseModel):
    item: str
    count: int = pydantic.Field(gt=0)


class Renamed(pydantic.BaseModel):
    size: int = pydantic.Field(alias="theSize")
    price: decimal.Decimal = decimal.Decimal("1.5")
    read: int = pydantic.Field(1, validation_alias="in", serialization_alias="out")


@dataclasses.dataclass
class Counted:
    words: list[str]
    many: int = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.many = len(self.words)


@tool
def plant(
    tree: Tree,
    color: Color,
    place: Place,
    order: Order,
    mode: Literal["fast", "slow"],
    pair: tuple[int, str],
    tags: Annotated[set[str], "Labels."],
    context: Context,
    note: Optional[str] = None,
    weights: dict[str, float] = {},
) -> list[str]:
    """Plants a tree."""
    assert context.caller.transport == "mesh"
    made = [type(one).__name__ for one in (tree, tree.children[0], color, place, order, pair, tags, weights["a"])]
    return [*made, mode, str(note)]


def given() -> dict[str, Any]:
    return {
        "tree": {"name": "oak", "children": [{"name": "twig"}]},
        "color": "blue",
        "place": {"city": "Bern", "zip": 3000},
        "order": {"item": "pot", "count": 1},
        "mode": "fast",
        "pair": [1, "x"],
        "tags": ["a"],
        "weights": {"a": 1},
    }


def test_arguments_arrive_as_what_the_hints_say(host: Node, agent: Node) -> None:
    with host.serve(plant):
        made = ["Tree", "Tree", "Color", "dict", "Order", "tuple", "set", "float"]
        assert agent.call_tool("plant", given()) == [*made, "fast", "None"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"color": "green"},
        {"mode": "other"},
        {"pair": [1]},
        {"tags": ["a", "a"]},
        {"place": {"city": "Bern"}},
        {"order": {"item": "pot", "count": 0}},
        {"tree": {"name": "oak", "leaves": 3}},
        {"weights": {"a": "heavy"}},
        {"note": 1},
        {"unknown": 1},
    ],
)
def test_what_the_hints_do_not_allow_never_reaches_the_function(
    host: Node, agent: Node, wrong: dict[str, Any]
) -> None:
    with host.serve(plant), pytest.raises(errors.InvalidArguments):
        agent.call_tool("plant", {**given(), **wrong})


def test_a_tool_is_still_the_function_and_describes_itself() -> None:
    @tool(name="math.add", tags=["math"], version="2.1.0")
    def add(a: int, b: int = 1) -> int:
        """Adds."""
        return a + b

    assert add(1, b=2) == 3
    expected: ToolDescriptor = {
        "tool_id": "math.add",
        "name": "math.add",
        "version": "2.1.0",
        "description": "Adds.",
        "requires": [],
        "estimated_time_ms": 0,
        "stateless": True,
        "streaming": False,
        "tags": ["math"],
        "input_schema": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "additionalProperties": False,
            "required": ["a"],
        },
        "output_schema": {"type": "integer"},
    }
    assert add.descriptor == expected


def test_a_function_without_hints_or_with_odd_ones_is_refused_by_the_parameters_name() -> None:
    with pytest.raises(TypeError, match="`a` of a tool needs a type hint"):
        tool(lambda a: a)

    def star(*many: int) -> None: ...

    with pytest.raises(TypeError, match="`many`"):
        tool(star)

    def odd(x: threading_lock) -> None: ...

    with pytest.raises(TypeError, match="has no JSON Schema"):
        tool(odd)


class threading_lock:
    pass


def test_schemas_may_be_given_as_types_or_as_schemas() -> None:
    descriptor = descriptor_for("t", input=Place, output_schema={"type": "null"})
    assert descriptor["output_schema"] == {"type": "null"}
    assert "$defs" in dict(descriptor["input_schema"])  # type: ignore[arg-type]


def test_a_handler_that_cannot_be_one_is_refused_when_it_is_served(host: Node) -> None:
    with pytest.raises(TypeError, match="`serve`"):
        host.serve_tool("plant", plant)
    with pytest.raises(TypeError, match="`serve_tool`"):
        host.serve(len)  # type: ignore[arg-type]
    for wrong in ("a text", lambda: 1):
        with pytest.raises(TypeError, match="a handler is a function of the arguments"):
            host.serve_tool("x", wrong)  # type: ignore[arg-type]


def test_what_is_wrong_with_a_descriptor_or_an_option_is_said_by_its_name(host: Node) -> None:
    for settings, told in (
        ({"input_schemas": {}}, "`input_schemas`"),
        ({"tags": "web"}, "`tags` of a descriptor is a list of texts"),
        ({"stateless": "no"}, "`stateless` of a descriptor is true or false"),
    ):
        with pytest.raises(errors.InvalidInput, match=told):
            host.serve_tool({"name": "x"}, lambda _: None, **settings)
    with pytest.raises(errors.InvalidInput, match="`connect`.*`key`"):
        Node(connect=["127.0.0.1:1"])
    with pytest.raises(TypeError, match="`connect` is a list"):
        Node(connect="127.0.0.1:1")
    with pytest.raises(TypeError, match="`key_file`"):
        Node(key="00" * 32)  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidInput, match="32 bytes"):
        Node(key=b"short")


def test_what_a_type_is_written_as_fits_the_schema_of_results(host: Node, agent: Node) -> None:
    @tool
    def renamed(given: Renamed) -> Renamed:
        return given

    @tool
    def counted(given: Counted) -> Counted:
        return given

    @tool
    def empty(given: tuple[()]) -> tuple[()]:
        assert given == ()
        return given

    with host.serve(renamed), host.serve(counted), host.serve(empty):
        given = {"theSize": 2, "price": "2.50", "in": 3}
        assert agent.call_tool("renamed", {"given": given}) == {"theSize": 2, "price": "2.50", "out": 3}
        assert agent.call_tool("counted", {"given": {"words": ["a", "b"]}}) == {"words": ["a", "b"], "many": 2}
        assert agent.call_tool("empty", {"given": []}) == []
        with pytest.raises(errors.InvalidArguments):
            agent.call_tool("counted", {"given": {"words": [], "many": 2}})


def test_a_number_arrives_as_the_kind_that_its_hint_says(host: Node, agent: Node) -> None:
    @tool
    def kinds(
        whole: int, number: float, many: list[int], place: Place, either: int | float, perhaps: Optional[int]
    ) -> list[str]:
        return [type(one).__name__ for one in (whole, number, many[0], place["zip"], either, perhaps)]

    given = {"whole": 3.0, "number": 3, "many": [1.0], "either": 2.0, "perhaps": 4.0}
    with host.serve(kinds):
        told = agent.call_tool("kinds", {**given, "place": {"city": "Bern", "zip": 3000.0}})
        assert told == ["int", "float", "int", "int", "float", "int"]


class Transfer(pydantic.BaseModel):
    amount: int

    @pydantic.field_validator("amount")
    @classmethod
    def has_a_limit(cls, amount: int) -> int:
        if amount > 100:
            raise ValueError("at most 100")
        return amount


@dataclasses.dataclass
class Payment:
    amount: int

    def __post_init__(self) -> None:
        if self.amount > 100:
            raise ValueError("at most 100")


@tool
def pays(
    one: Optional[Transfer] = None,
    other: Optional[Payment] = None,
    all: Optional[list[Transfer]] = None,
    either: Union[Literal["nothing"], Payment, Transfer, None] = None,
) -> list[str]:
    """Pays."""
    return [type(given).__name__ for given in (one, other, all, either)]


def test_what_a_type_refuses_never_reaches_the_handler_and_is_told_to_the_caller(host: Node, agent: Node) -> None:
    good: dict[str, Any] = {"one": {"amount": 5}, "other": {"amount": 5}, "all": [{"amount": 5}], "either": {"amount": 5}}
    with host.serve(pays):
        assert agent.call_tool("pays", good) == ["Transfer", "Payment", "list", "Payment"]
        assert agent.call_tool("pays", {"either": "nothing"}) == ["NoneType", "NoneType", "NoneType", "str"]
        for name in ("one", "other", "all", "either"):
            bad = [{"amount": 500}] if name == "all" else {"amount": 500}
            with pytest.raises(errors.ToolFailed, match=f"the arguments are refused: /{name}.*at most 100"):
                agent.call_tool("pays", {**good, name: bad})


def test_definitions_of_one_name_stand_beside_each_other() -> None:
    def order(**price: Any) -> Any:
        item = pydantic.create_model("Item", price=(pydantic.create_model("Price", **price), ...))
        return pydantic.create_model("Order", items=(list[item], ...))  # type: ignore[valid-type]

    first, second = order(first_amount=(int, ...)), order(second_amount=(int, ...))

    def buys(a: Any, b: Any, c: Any, d: Any) -> None: ...

    buys.__annotations__ = {"a": first, "b": second, "c": second, "d": first, "return": None}
    schema: Any = tool(buys).descriptor["input_schema"]
    definitions = schema["$defs"]
    assert sorted(definitions) == ["Item", "Item_", "Price", "Price_"]

    def amounts(parameter: str) -> list[str]:
        items = schema["properties"][parameter]["properties"]["items"]["items"]
        item = definitions[items["$ref"].removeprefix("#/$defs/")]
        price = definitions[item["properties"]["price"]["$ref"].removeprefix("#/$defs/")]
        return list(price["properties"])

    assert {name: amounts(name) for name in "abcd"} == {
        "a": ["first_amount"],
        "b": ["second_amount"],
        "c": ["second_amount"],
        "d": ["first_amount"],
    }
