"""The peer of `evm_toolmesh` in Python: the mapper of the package abi-to-mcp 0.1.0 over the same files.

Prints one line of JSON: how many interfaces it maps, how many have no function to map, on which it fails and why, how many
functions it maps, and the milliseconds of parsing and mapping in each round, in processor time.
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


def sorted_out(paths):
    """The files that it maps, how many have no function, and of the others the file and why it fails."""
    usable, failures, without_functions = [], [], 0
    for path in paths:
        try:
            if mapped(path):
                usable.append(path)
            else:
                without_functions += 1
        except Exception as error:
            failures.append({"file": path.name, "error": f"{type(error).__name__}: {error}"})
    return usable, failures, without_functions


def main():
    folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
    usable, failures, without_functions = sorted_out(sorted(folder.glob("*.json")))
    milliseconds = []
    functions = 0
    for _ in range(rounds):
        begin = time.process_time()
        functions = sum(mapped(path) for path in usable)
        milliseconds.append((time.process_time() - begin) * 1e3)
    report = {
        "interfaces": len(usable),
        "without_functions": without_functions,
        "failures": failures,
        "functions": functions,
        "milliseconds": milliseconds,
    }
    print(json.dumps(report))


main()
