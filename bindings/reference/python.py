"""Writes the API reference of the Python package to standard output, from its sources alone: every public name with its signature
and its documentation. A public name without documentation is an error.

The one argument is the folder of the package.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

TITLE = """# API reference of Toolmesh for Python

Written by `cargo xtask reference` from the package's docstrings and type hints; an editor shows the same. How things go together is in
the [README](README.md). Times are in the unit that a name tells (`_ms`), or in seconds.
"""

MODULES = ("errors", "formats", "openai", "anthropic", "gemini", "mcp")

Named = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Assign | ast.AnnAssign


class Module:
    """A module of the package."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name
        self.tree = ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))

    def exported(self) -> list[str]:
        """The names in `__all__`."""
        for node, names, _ in documented(self.tree.body):
            if names == ["__all__"] and isinstance(node, ast.Assign):
                return list(ast.literal_eval(node.value))
        raise SystemExit(f"{self.name} has no __all__")

    def find(self, name: str) -> tuple[Named, str | None] | None:
        """What a name stands for, here or where it is imported from, with its documentation; `None` for a module."""
        for node, names, told in documented(self.tree.body):
            if name in names:
                return node, told
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and any((one.asname or one.name) == name for one in node.names):
                return None if node.module is None else Module(self.folder, node.module).find(name)
        raise SystemExit(f"{self.name} exports {name}, and has it not")


def documented(body: list[ast.stmt]) -> Iterator[tuple[Named, list[str], str | None]]:
    """What a body defines: each with its names, and its docstring or the text behind it. Of overloads the last."""
    for node, behind in zip(body, [*body[1:], None]):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if not any(ast.unparse(decorator) == "overload" for decorator in node.decorator_list):
                yield node, [node.name], ast.get_docstring(node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield node, [one.id for one in targets if isinstance(one, ast.Name)], text_of(behind)


def text_of(node: ast.stmt | None) -> str | None:
    """The text that a statement is."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return " ".join(node.value.value.split())
    return None


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str, skipped: int) -> str:
    """A function as it is written, without the parameter that Python gives by itself."""
    arguments = node.args
    arguments.args = arguments.args[skipped:]
    result = "" if node.returns is None or name != node.name else f" -> {ast.unparse(node.returns)}"
    begin = "async def " if isinstance(node, ast.AsyncFunctionDef) else "def " if name == node.name else ""
    parts = split(ast.unparse(arguments))
    line = f"{begin}{name}({', '.join(parts)}){result}"
    if len(line) <= 120:
        return line
    return "\n".join([f"{begin}{name}(", *(f"    {part}," for part in parts), f"){result}"])


def split(text: str) -> list[str]:
    """The parts of a list of parameters, by the commas that stand in no brackets; defaults as they are usually written."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "[({") - (character in "])}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip().replace("=", " = ", 1) if ":" in part else part.strip() for part in parts]


def is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(decorator) == "property" for decorator in node.decorator_list)


def require(text: str | None, what: str) -> str:
    if not text:
        raise SystemExit(f"{what} has no documentation")
    return text


def class_page(node: ast.ClassDef, told: str) -> Iterator[str]:
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    constructor = None
    members: list[str] = []
    for member, names, text in documented(node.body):
        if isinstance(member, ast.ClassDef):
            continue
        for name in names:
            if name == "__init__" and isinstance(member, ast.FunctionDef):
                constructor = member
            if name.startswith("_"):
                continue
            # A plain value in a class stands over that of its base, which is documented.
            is_overriding = isinstance(member, ast.Assign) and isinstance(member.value, ast.Constant)
            what = text or "" if is_overriding else require(text, f"{node.name}.{name}")
            members.extend(member_page(member, name, what))
    yield f"### `{node.name}`\n"
    shown = f"class {node.name}({bases})" if bases else f"class {node.name}"
    is_made_by_programs = constructor is not None and not takes_native(constructor)
    if constructor is not None and is_made_by_programs and "Error" not in bases + node.name:
        shown += "\n\n" + signature(constructor, node.name, 1)
    yield f"```python\n{shown}\n```\n"
    yield f"{told}\n"
    if members:
        yield from members
        yield ""


def takes_native(constructor: ast.FunctionDef) -> bool:
    """Whether programs get such an object from the package, and make none."""
    first = constructor.args.args[1:2]
    return bool(first) and first[0].annotation is not None and any(
        word in ast.unparse(first[0].annotation) for word in ("_native", "Call", "Coroutine")
    )


def member_page(member: Named, name: str, text: str) -> Iterator[str]:
    if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)) and not is_property(member):
        shown = signature(member, name, 1)
    elif isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
        shown = f"{name}: {ast.unparse(member.returns)}" if member.returns else name
    elif isinstance(member, ast.AnnAssign):
        shown = f"{name}: {ast.unparse(member.annotation)}"
    else:
        shown = f"{name} = {ast.unparse(member.value)}" if isinstance(member, ast.Assign) else name
    if "\n" in shown:
        yield f"\n```python\n{shown}\n```\n\n{text}\n"
    else:
        lines = text.split("\n")
        first = f"- `{shown}`: {lines[0]}" if text else f"- `{shown}`"
        yield "\n  ".join([first, *lines[1:]]).replace("\n  \n", "\n\n")


def name_page(module: Module, name: str) -> Iterator[str]:
    found = module.find(name)
    if found is None:
        return  # A module has a part of its own.
    node, text = found
    told = require(text, name)
    if isinstance(node, ast.ClassDef):
        yield from class_page(node, told)
        return
    yield f"### `{name}`\n"
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield f"```python\n{signature(node, name, 0)}\n```\n"
    else:
        yield f"```python\n{ast.unparse(node)}\n```\n"
    yield f"{told}\n"


def page(folder: Path) -> Iterator[str]:
    yield TITLE
    for name in ("__init__", *MODULES):
        module = Module(folder, name)
        yield f"## `toolmesh{'' if name == '__init__' else '.' + name}`\n"
        yield require(ast.get_docstring(module.tree), name) + "\n"
        for exported in module.exported():
            yield from name_page(module, exported)


print("\n".join(page(Path(sys.argv[1]))).rstrip())
