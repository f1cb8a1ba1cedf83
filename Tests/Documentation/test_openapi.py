"""Resources/openapi.yaml has the forms that generators of clients turn into types.

The rules come from openapi-python-client and swift-openapi-generator. test_generated_client.py calls a server.
"""

import re
from pathlib import Path

import jsonschema
import openapi_spec_validator
import pytest
import yaml

DESCRIPTION = Path(__file__).resolve().parents[2] / "Resources/openapi.yaml"
TEXT = DESCRIPTION.read_text().replace("${NOW}", "2026-11-21T02:00:00Z").replace("${TODAY}", "2026-11-21")
DOCUMENT = yaml.safe_load(TEXT)
COMPONENTS = DOCUMENT["components"]
SCHEMAS = COMPONENTS["schemas"]
OPERATIONS = {operation["operationId"]: operation for section in ("paths", "webhooks")
              for methods in DOCUMENT[section].values() for operation in methods.values()}
VERBS = ("add|check|count|create|decide|download|erase|explain|export|filter|list|lookUp|rate|read|receive|release|remove|"
         "restrict|revoke|send|undo|withdraw")
# Swift has its own meaning for them inside a type.
RESERVED = {"Type", "Protocol", "Self"}
# Generators read these as bytes or text, and all of them as one type of an answer.
PLAIN = {"application/octet-stream", "application/x-ndjson", "application/xml", "application/gzip",
         "application/vnd.sqlite3"}
# Keywords without a type in at least one generator.
UNTYPED = {"not", "if", "then", "else", "allOf", "discriminator", "patternProperties", "prefixItems", "const", "nullable",
           "dependentSchemas", "unevaluatedProperties", "$dynamicRef", "propertyNames", "contentEncoding"}


def resolved(node):
    while "$ref" in node:
        target = DOCUMENT
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def contents(operation):
    """Every content of an operation: whether it is a request's, its status, media type and value."""
    body = operation.get("requestBody", {}).get("content", {})
    yield from ((True, "", media, content) for media, content in body.items())
    for status, response in operation["responses"].items():
        yield from ((False, status, media, content) for media, content in resolved(response).get("content", {}).items())


def schemas():
    """Every schema with its place, and the parts of each."""
    for name, schema in SCHEMAS.items():
        yield from parts(name, schema)
    for name, operation in OPERATIONS.items():
        for parameter in operation.get("parameters", []):
            yield from parts(f"{name} {parameter['name']}", parameter["schema"])
        for is_request, status, media, content in contents(operation):
            yield from parts(f"{name} {status} {media}", content["schema"])


def parts(place, schema):
    yield place, schema
    for name, part in schema.get("properties", {}).items():
        yield from parts(f"{place}.{name}", part)
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from parts(f"{place}.{keyword}", schema[keyword])
    for keyword in ("anyOf", "oneOf"):
        for index, part in enumerate(schema.get(keyword, [])):
            yield from parts(f"{place}.{keyword}.{index}", part)


def fault(schema):
    """The reason why a generator makes no type of a schema; None when it does."""
    if found := UNTYPED & set(schema):
        return f"{', '.join(sorted(found))} has no type"
    if "$ref" in schema:
        return None if re.fullmatch(r"#/components/schemas/\w+", schema["$ref"]) else "only components have names"
    if "anyOf" in schema:
        kinds = [resolved(part) for part in schema["anyOf"]]
        is_open = len(kinds) == 2 and "enum" in kinds[0] and "enum" not in kinds[1] and kinds[1]["type"] == "string"
        is_value = [kind.get("type") for kind in kinds] == ["string", "number"]
        return None if is_open or is_value else "anyOf is for open enums"
    if "oneOf" in schema:
        return None
    types = schema.get("type")
    if isinstance(types, list):
        if len(types) != 2 or types[1] != "null":
            return "a list of types is for one that may be null"
        if "enum" in schema:
            return "an enum that may be null is no enum in Swift"
        types = types[0]
    if types == "object" and not schema.get("properties") and "additionalProperties" not in schema:
        return "an object without properties"
    if types == "array" and not schema.get("items"):
        return "an array of anything"
    if "enum" in schema and not all(isinstance(value, {"string": str, "integer": int}[types]) for value in schema["enum"]):
        return "an enum has values of its type"
    return None


@pytest.mark.parametrize("schema, reason", [
    ({"type": "object"}, "without properties"), ({"type": "array", "items": {}}, "array of anything"),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "open enums"), ({"not": {}}, "has no type"),
    ({"type": ["integer", "null"], "enum": [1, None]}, "no enum"), ({"type": ["string", "number"]}, "may be null"),
    ({"$ref": "other.yaml"}, "only components"), ({"type": "string", "enum": ["a", None]}, "of its type"),
])
def test_faults_of_schemas_are_found(schema, reason):
    assert reason in fault(schema)


def test_every_schema_has_a_type():
    openapi_spec_validator.validate(DOCUMENT)
    found = {place: reason for place, schema in schemas() if (reason := fault(schema))}
    assert not found
    assert len(list(schemas())) > 500


def test_names_are_identifiers_and_differ():
    for names in (OPERATIONS, SCHEMAS):
        assert len({name.lower() for name in names}) == len(names)
        assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9]*", name) and name not in RESERVED for name in names)
    assert not [name for name in OPERATIONS if not re.match(rf"(?:{VERBS})[A-Z]", name)]
    # Some generators write a file for each tag, and write it again for webhooks.
    called, sent = ({tag for methods in DOCUMENT[section].values() for operation in methods.values()
                     for tag in operation["tags"]} for section in ("paths", "webhooks"))
    assert called == {tag["name"] for tag in DOCUMENT["tags"]} and not called & sent
    # A named object without properties is a dictionary without a type in some languages.
    assert not [name for name, schema in SCHEMAS.items() if schema.get("type") == "object" and "properties" not in schema]
    # A used enum has a name, and an answer of it can get new names unless it is closed for good.
    assert not [name for name in SCHEMAS if name.startswith("Known") and name.removeprefix("Known") not in SCHEMAS]


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_is_complete(name):
    operation = OPERATIONS[name]
    assert "default" in operation["responses"] and operation["summary"] and operation["description"]
    for requirement in operation.get("security", []):
        for scheme, scopes in requirement.items():
            assert scheme in COMPONENTS["securitySchemes"] and bool(scopes) == (scheme != "metrics")
    for parameter in operation.get("parameters", []):
        # Both generators know the standard form of each place alone.
        assert "schema" in parameter and not {"style", "explode", "content", "allowReserved"} & set(parameter)
        assert parameter["in"] != "path" or "example" in parameter
    for is_request, status, media, content in contents(operation):
        is_json = media == "application/json" or media.endswith("+json")
        assert is_json or media.startswith("text/") or media in PLAIN, media
        # The server shows the text of a request's schema.
        assert not is_request or "description" in content["schema"]
        if not is_json:
            assert content["schema"]["type"] == "string"


@pytest.mark.parametrize("name", [name for name, schema in SCHEMAS.items() if schema.get("type") == "object"])
def test_every_field_has_a_text(name):
    assert SCHEMAS[name]["description"]
    assert not [field for field, schema in SCHEMAS[name].get("properties", {}).items() if "description" not in schema]
    assert set(SCHEMAS[name].get("required", [])) <= set(SCHEMAS[name].get("properties", {}))


def examples():
    """Examples of requests and answers, and of schemas."""
    for name, operation in OPERATIONS.items():
        for is_request, status, media, content in contents(operation):
            if media != "application/json" or content["schema"].get("format") == "binary":
                continue
            found = [content["example"]] if "example" in content else [
                resolved(example)["value"] for example in content.get("examples", {}).values()]
            # A schema without an example of its own is a choice of schemas, or the file of a list.
            found = found or resolved(content["schema"]).get("examples", [])
            yield f"{name} {status or 'body'}", content["schema"], found
    for name, schema in SCHEMAS.items():
        yield name, {"$ref": f"#/components/schemas/{name}"}, schema.get("examples", [])


@pytest.mark.parametrize("place, schema, values", [pytest.param(*item, id=item[0]) for item in examples()])
def test_examples_are_valid(place, schema, values):
    validator = jsonschema.Draft202012Validator(schema | {"components": COMPONENTS})
    for value in values:
        validator.validate(value)
    kind = resolved(schema)
    is_free = place == "readOpenAPI 200" or "description" in schema and len(schema) == 1
    assert values or is_free or kind.get("type") != "object", f"{place} has no example"
