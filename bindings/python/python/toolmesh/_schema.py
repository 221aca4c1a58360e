"""From type hints to JSON Schema 2020-12, and from JSON back to what the hints say."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, cast

JsonSchema = dict[str, Any]

#: What a reference to a definition begins with.
_DEFINITION = "#/$defs/"

_PLAIN: dict[Any, JsonSchema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
    dict: {"type": "object"},
    list: {"type": "array"},
    Any: {},
    object: {},
}


def schema_of(hint: Any, written: bool = False) -> JsonSchema:
    """The schema of a type: plain types, lists, tuples, dicts, unions, literals, enumerations, `Annotated[T, "text"]`,
    dataclasses, `TypedDict`, and pydantic models. Anything else raises `TypeError` with its name.

    What is read into a type and what is written of it differ: `written` is for results."""
    definitions: dict[str, JsonSchema] = {}
    schema = _Schemas(definitions, written).of(hint)
    if definitions:
        schema = {**schema, "$defs": definitions}
    return schema


class _Schemas:
    """One document under way; types that may contain themselves are definitions of it."""

    def __init__(self, definitions: dict[str, JsonSchema], written: bool) -> None:
        self.definitions = definitions
        self.written = written
        self.named: dict[type, str] = {}

    def of(self, hint: Any) -> JsonSchema:
        if _is_pydantic(hint):
            return self._pydantic(hint)
        try:
            if hint in _PLAIN:
                return dict(_PLAIN[hint])
        except TypeError:
            pass  # A hint that cannot be hashed is none of the plain ones.
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Annotated:
            return self._annotated(arguments)
        if origin in (typing.Union, types.UnionType):
            return {"anyOf": [self.of(one) for one in arguments]}
        if origin is typing.Literal:
            return {"enum": [one.value if isinstance(one, enum.Enum) else one for one in arguments]}
        if origin in (typing.Required, typing.NotRequired) if hasattr(typing, "Required") else False:
            return self.of(arguments[0])
        if origin is tuple:
            return self._tuple(arguments)
        if origin in (list, Sequence, set, frozenset):
            schema: JsonSchema = {"type": "array", "items": self.of(arguments[0])}
            if origin in (set, frozenset):
                schema["uniqueItems"] = True
            return schema
        if origin in (dict, Mapping):
            if arguments[0] is not str:
                raise TypeError("the keys of a JSON object are str")
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        if isinstance(hint, type):
            return self._class(hint)
        raise TypeError(f"{hint!r} has no JSON Schema; give `input_schema` or `output_schema` yourself")

    def _annotated(self, arguments: tuple[Any, ...]) -> JsonSchema:
        schema = self.of(arguments[0])
        for note in arguments[1:]:
            if isinstance(note, str):
                schema["description"] = note
            elif isinstance(note, Mapping):
                schema.update(note)
        return schema

    def _tuple(self, arguments: tuple[Any, ...]) -> JsonSchema:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return {"type": "array", "items": self.of(arguments[0])}
        items = [self.of(one) for one in arguments if one != ()]
        if not items:
            return {"type": "array", "maxItems": 0}
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}

    def _class(self, hint: type) -> JsonSchema:
        if issubclass(hint, enum.Enum):
            return {"enum": [member.value for member in hint]}
        if dataclasses.is_dataclass(hint):
            return self._reference(hint, self._dataclass)
        if typing.is_typeddict(hint):
            return self._reference(hint, self._typed_dict)
        raise TypeError(
            f"{hint.__qualname__} has no JSON Schema; use a dataclass, a TypedDict or a pydantic model, "
            "or give the schema yourself"
        )

    def _reference(self, hint: type, fields: Callable[[type], JsonSchema]) -> JsonSchema:
        name = self.named.get(hint)
        if name is None:
            name = hint.__name__
            while name in self.definitions:
                name += "_"
            self.named[hint] = name
            self.definitions[name] = {}
            self.definitions[name] = fields(hint)
        return {"$ref": _DEFINITION + name}

    def _dataclass(self, hint: type) -> JsonSchema:
        hints = typing.get_type_hints(hint, include_extras=True)
        fields = [field for field in dataclasses.fields(hint) if field.init or self.written]
        required = [field.name for field in fields if _is_required(field)]
        return closed_object({field.name: self.of(hints[field.name]) for field in fields}, required)

    def _typed_dict(self, hint: type) -> JsonSchema:
        hints = typing.get_type_hints(hint, include_extras=True)
        required = sorted(getattr(hint, "__required_keys__", hints), key=list(hints).index)
        return closed_object({name: self.of(one) for name, one in hints.items()}, required)

    def _pydantic(self, model: Any) -> JsonSchema:
        mode = "serialization" if self.written else "validation"
        schema: JsonSchema = dict(model.model_json_schema(ref_template=_DEFINITION + "{model}", mode=mode))
        definitions: dict[str, JsonSchema] = schema.pop("$defs", {})
        suffix = ""
        # Another model may call something else by a name of this one's: all of this one's get another name then.
        while not self._are_free(found := _suffixed(definitions, suffix)):
            suffix += "_"
        self.definitions.update(found)
        return _referring(schema, definitions, suffix)

    def _are_free(self, definitions: dict[str, JsonSchema]) -> bool:
        """Whether definitions can stand beside those that there are: under names of their own, or as what is there."""
        return all(self.definitions.get(name, one) == one for name, one in definitions.items())


def _suffixed(definitions: dict[str, JsonSchema], suffix: str) -> dict[str, JsonSchema]:
    """Definitions that refer to each other, by other names."""
    return {name + suffix: _referring(one, definitions, suffix) for name, one in definitions.items()}


def _referring(schema: JsonSchema, names: Collection[str], suffix: str) -> JsonSchema:
    """A schema that refers to these definitions by their other names."""
    references = {_DEFINITION + name: _DEFINITION + name + suffix for name in names}

    def renamed(one: Any) -> Any:
        return references.get(one, one) if isinstance(one, str) else referring(one)

    def referring(one: Any) -> Any:
        if isinstance(one, list):
            return [referring(each) for each in one]
        if not isinstance(one, dict):
            return one
        told = {key: renamed(each) if key == "$ref" else referring(each) for key, each in one.items()}
        discriminator = told.get("discriminator")
        if isinstance(discriminator, dict) and isinstance(discriminator.get("mapping"), dict):
            discriminator["mapping"] = {key: renamed(each) for key, each in discriminator["mapping"].items()}
        return told

    return cast(JsonSchema, referring(schema))


def closed_object(properties: dict[str, JsonSchema], required: list[str]) -> JsonSchema:
    """An object that has these members and no others."""
    schema: JsonSchema = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    return schema


def bind(hint: Any, value: Any) -> Any:
    """A JSON value as what a hint says: dataclasses, enumerations, tuples, sets and pydantic models are made; the rest stays."""
    if _is_pydantic(hint):
        return hint.model_validate(value)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return bind(arguments[0], value)
    if origin in (typing.Union, types.UnionType):
        return _bind_union(arguments, value)
    if isinstance(value, list) and (arguments or origin is tuple):
        return _bind_list(origin, arguments, value)
    if origin in (dict, Mapping) and isinstance(value, dict):
        return {name: bind(arguments[1], one) for name, one in value.items()}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint(value)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint) and isinstance(value, dict):
        hints = typing.get_type_hints(hint, include_extras=True)
        return hint(**{name: bind(hints[name], one) for name, one in value.items()})
    if typing.is_typeddict(hint) and isinstance(value, dict):
        hints = typing.get_type_hints(hint)
        return {name: bind(hints[name], one) for name, one in value.items()}
    return _bind_number(hint, value)


def _bind_number(hint: Any, value: Any) -> Any:
    """JSON has one kind of numbers: `3.0` is an integer, and `3` any number."""
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint is int and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _bind_union(arguments: tuple[Any, ...], value: Any) -> Any:
    if value is None or (isinstance(value, float) and float in arguments):
        return value
    refused: Exception | None = None
    for one in arguments:
        try:
            bound = bind(one, value)
        except (TypeError, ValueError, KeyError) as error:
            refused = refused or error
            continue
        if _is_one(one, bound):
            return bound
    # Handing on the bare value would let past the checks of the type that it is meant to be.
    raise refused or TypeError("it is none of the types that it may be")


def _is_one(hint: Any, bound: Any) -> bool:
    """Whether what was bound is what the hint says, as far as members of a union are told apart by it."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _is_one(arguments[0], bound)
    if origin is typing.Literal:
        return any(bound == one and isinstance(bound, bool) == isinstance(one, bool) for one in arguments)
    if origin in (typing.Union, types.UnionType):
        return any(_is_one(one, bound) for one in arguments)
    if hint is None or hint is type(None):
        return bound is None
    if hint is Any:
        return True
    made = origin or hint
    if typing.is_typeddict(made):
        return isinstance(bound, dict)
    return not isinstance(made, type) or isinstance(bound, made)


def refusals(name: str, refused: Exception) -> str:
    """What a program's own types say of an argument that they refuse, each with its place; pydantic tells of several."""
    errors = getattr(refused, "errors", None)
    if not callable(errors):
        return f"/{name}: {refused}"
    places = [("/".join(map(str, (name, *error["loc"]))), error["msg"]) for error in errors()]
    return "; ".join(f"/{place}: {message}" for place, message in places)


def _bind_list(origin: Any, arguments: tuple[Any, ...], value: list[Any]) -> Any:
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(bind(arguments[0], one) for one in value)
        return tuple(bind(hint, one) for hint, one in zip(arguments, value))
    items = [bind(arguments[0], one) for one in value]
    return origin(items) if origin in (set, frozenset) else items


def parameters_of(function: Callable[..., Any], skipped: set[str]) -> tuple[dict[str, Any], JsonSchema]:
    """The hints of a function's parameters, and the schema of an object with them as members."""
    hints = typing.get_type_hints(function, include_extras=True)
    definitions: dict[str, JsonSchema] = {}
    schemas = _Schemas(definitions, written=False)
    properties: dict[str, JsonSchema] = {}
    required: list[str] = []
    wanted: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in skipped:
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise TypeError(f"the parameter `{name}` of a tool has to be one that can be given by name")
        if name not in hints:
            raise TypeError(f"the parameter `{name}` of a tool needs a type hint")
        wanted[name] = hints[name]
        properties[name] = schemas.of(hints[name])
        if parameter.default is parameter.empty:
            required.append(name)
    schema = closed_object(properties, required)
    if definitions:
        schema["$defs"] = definitions
    return wanted, schema


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _is_pydantic(hint: Any) -> bool:
    return isinstance(hint, type) and hasattr(hint, "model_json_schema") and hasattr(hint, "model_validate")
