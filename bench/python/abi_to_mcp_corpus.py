"""The peer of `evm_toolmesh` in Python: the mapper of the package abi-to-mcp 0.1.0 over the same files.

Prints one line of JSON: how many interfaces it maps and how many it fails on, how many functions it maps, and the
milliseconds of parsing and mapping in each round, in processor time.
"""

import json
import sys
import time
from pathlib import Path

from abi_to_mcp.mapper import FunctionMapper, TypeMapper
from abi_to_mcp.parser import ABIParser


def entries(path):
    document = json.loads(path.read_bytes())
    return document["abi"] if isinstance(document, dict) else document


def mapped(path):
    parsed = ABIParser().parse(entries(path))
    mapper = FunctionMapper(TypeMapper())
    return len([mapper.map_function(function) for function in parsed.functions])


def survivors(paths):
    found = []
    for path in paths:
        try:
            if mapped(path):
                found.append(path)
        except Exception:
            pass
    return found


def main():
    folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
    paths = sorted(folder.glob("*.json"))
    usable = survivors(paths)
    milliseconds = []
    functions = 0
    for _ in range(rounds):
        begin = time.process_time()
        functions = sum(mapped(path) for path in usable)
        milliseconds.append((time.process_time() - begin) * 1e3)
    report = {
        "interfaces": len(usable),
        "failed": len(paths) - len(usable),
        "functions": functions,
        "milliseconds": milliseconds,
    }
    print(json.dumps(report))


main()
