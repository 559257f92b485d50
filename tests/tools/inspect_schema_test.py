#!/usr/bin/env python3
"""Checks that what `cane inspect --json` prints is as docs/inspect-schema.json says, for models of
every shape, and that the check can fail. Usage: inspect_schema_test.py PROGRAM"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
from small_files import SmallFiles  # noqa: E402

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float),
         "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "title", "description", "type", "properties", "required", "const", "enum",
         "additionalProperties", "propertyNames", "items", "anyOf", "oneOf", "pattern", "minimum"}


def is_of(value, name):
    if isinstance(value, bool) and name != "boolean":
        return False
    return isinstance(value, TYPES[name])


def problems(value, schema, place="$"):
    """What of the value the schema does not allow, by the part of JSON Schema that ours uses."""
    assert set(schema) <= KNOWN, set(schema) - KNOWN
    for word in ("anyOf", "oneOf"):
        tries = [list(problems(value, one, place)) for one in schema.get(word, [])]
        if tries and all(tries):
            yield f"{place}: none of the {word} fits: {min(tries, key=len)}"
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_of(value, name) for name in types):
        yield f"{place}: {value!r} is not {types}"
        return
    if "const" in schema and value != schema["const"] or value not in schema.get("enum", [value]):
        yield f"{place}: {value!r} is another value"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{place}: {value!r} is not {schema['pattern']}"
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{place}: {value!r} is too small"
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from problems(item, schema.get("items", {}), f"{place}[{number}]")
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{place}: there is no {name}"
        for name, item in value.items():
            yield from problems(name, schema.get("propertyNames", {}), f"{place}.{name} (name)")
            rules = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            if rules is False:
                yield f"{place}: {name} is not described"
            else:
                yield from problems(item, rules, f"{place}.{name}")


def main(program):
    schema = json.loads((ROOT / "docs" / "inspect-schema.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        SmallFiles(folder)
        environment = dict(os.environ, CANE_CACHE_DIR=name, SOURCE_DATE_EPOCH="86400")

        def run(*words):
            done = subprocess.run([program, *words], cwd=folder, env=environment, check=False,
                                  capture_output=True, encoding="utf-8")
            assert done.returncode == 0, (words, done.stderr)
            return done.stdout

        def inspected(model, *words):
            found = json.loads(run("inspect", str(model), "--json", *words))
            bad = list(problems(found, schema))
            if bad:
                sys.exit(f"{model}: " + "\n".join(bad))
            return found

        for number, (data, *words) in enumerate([
                ("train.ft", "--method", "softmax", "--note", "a \"note\""),
                ("train.ft", "--method", "cane", "--select", "tree", "--encoder", "bag"),
                ("train.svm", "--method", "hsm"), ("train.svm", "--method", "recall-tree"),
                ("train.svm", "--method", "lomtree"), ("train.svm", "--method", "filter-tree")]):
            run("train", data, f"m{number}", "--epochs", "1", "--quiet", *words)
            found = inspected(f"m{number}")
            assert found["origin"]["data"] == data and len(found["origin"]["checksum"]) == 16
            assert found["origin"]["date"] == "1970-01-02T00:00:00Z"
        assert inspected("m0")["origin"]["note"] == 'a "note"'
        assert len(inspected("m0", "--labels")["labels"]) == inspected("m0")["classes"]
        run("quantize", "m0", "--output", "small", "--json")
        assert inspected("small")["quantized"]["bits"] == 8
        run("calibrate", "m0", "test.ft", "--output", "calibrated")
        assert inspected("m0")["calibration"] is None
        assert len(inspected("calibrated")["calibration"]["temperatures"]) == 3
        for model in sorted((ROOT / "tests" / "releases").glob("*/lm-*.safetensors")):
            inspected(model)
        found = inspected("m0")
        for spoil in (lambda: found.update(classes="30"), lambda: found.pop("tree"),
                      lambda: found.update(more=1),
                      lambda: found["options"].update({"a-b": 1}),
                      lambda: found["origin"].update(date="yesterday")):
            found = inspected("m0")
            spoil()
            if not list(problems(found, schema)):
                sys.exit("a spoilt summary passes the check")


if __name__ == "__main__":
    main(sys.argv[1])
