#!/usr/bin/env python3
"""Writes operations, objects and errors of Documentation/api.md from Resources/openapi.yaml.

    .venv/bin/python Scripts/api-document.py

A test compares the document with the description, and runs every command of it in order in one shell.
"""

import textwrap
from pathlib import Path

import yaml

CHECKOUT = Path(__file__).resolve().parent.parent
DESCRIPTION = CHECKOUT / "Resources/openapi.yaml"
DOCUMENT = CHECKOUT / "Documentation/api.md"
START = "<!-- Written by Scripts/api-document.py from Resources/openapi.yaml. -->\n"
END = "<!-- The end of the operations. -->\n"
PROBLEM = "application/problem+json"
# The document names these once for all operations.
USUAL = {"unauthorized", "scope", "not-acceptable", "limited", "too-slow", "too-large", "unsupported-media-type",
         "unsupported-encoding", "cut-short", "internal", "unavailable", "busy"}


def prose(text):
    return "\n\n".join(textwrap.fill(" ".join(part.split()), 120, break_on_hyphens=False, break_long_words=False)
                       for part in text.split("\n\n"))


class Document:
    def __init__(self, description):
        self.description = description

    def text(self):
        text = ""
        for tag in self.description["tags"]:
            text += f"\n## {tag['name']}\n\n{prose(tag['description'])}\n"
            for path, methods in self.description["paths"].items():
                for method, operation in methods.items():
                    if tag["name"] in operation["tags"]:
                        text += self.operation(f"`{method.upper()} {path}`", operation)
        text += "\n## Webhooks\n"
        for methods in self.description["webhooks"].values():
            text += self.operation("`POST` to the address of the receiver", methods["post"])
        text += "\n## Objects\n\nFields without \"optional\" are always there, or are required in a request.\n"
        for name, schema in self.description["components"]["schemas"].items():
            if schema.get("type") == "object":
                text += f"\n### {name}\n\n{prose(schema['description'])}\n" + self.fields(schema)
            elif self.is_long(schema):
                names = ", ".join(f"`{value}`" for value in schema["enum"])
                text += f"\n### {name.removeprefix('Known')}\n\n{prose(f'One of {names}.')}\n"
        return text + self.errors() + "\n"

    @staticmethod
    def is_long(schema):
        """Whether an enum has a section of its own. The names of problems are in the table of errors."""
        return 8 < len(schema.get("enum", [])) <= 20

    def resolved(self, node):
        while "$ref" in node:
            target = self.description
            for part in node["$ref"].split("/")[1:]:
                target = target[part]
            node = target
        return node

    def operation(self, address, operation):
        security = operation.get("security", [])
        scopes = dict.fromkeys(scope for requirement in security for names in requirement.values() for scope in names)
        optional = {} in security
        needs = " or ".join(f"`{scope}`" for scope in scopes)
        needs = f" Scope {needs}{', if the operator requires a key' if optional else ''}." if scopes else ""
        text = f"\n### {operation['summary'].rstrip('.')}\n\n{address}.{needs}\n\n{prose(operation['description'])}\n"
        parameters = [self.resolved(parameter) for parameter in operation.get("parameters", [])]
        if parameters:
            text += table(("parameter", "type", "meaning"), [
                (f"`{item['name']}`", f"{item['in']}, {self.kind(item['schema'])}{self.optional(item)}", item["description"])
                for item in parameters])
        lines = [f"- Body `{media}`: {self.content(content)}"
                 for media, content in operation.get("requestBody", {}).get("content", {}).items()]
        problems = []
        for status, response in operation["responses"].items():
            response = self.resolved(response)
            contents = response.get("content", {})
            if PROBLEM in contents:
                problems += [slug for slug in contents[PROBLEM].get("examples", {}) if slug not in USUAL]
            elif status[0] == "2":
                media, content = next(iter(contents.items()), (None, None))
                model = f" `{media}`: {self.content(content)}" if media else ""
                lines.append(f"- {status}: {response['description']}{model}")
        if problems:
            lines.append(f"- Errors: {', '.join(f'`{slug}`' for slug in dict.fromkeys(problems))}.")
        text += "\n" + "".join(textwrap.fill(" ".join(line.split()), 120, subsequent_indent="  ", break_on_hyphens=False,
                                             break_long_words=False) + "\n" for line in lines)
        for sample in operation.get("x-codeSamples", []):
            command = sample["source"].strip()
            if optional:
                command = command.replace(' -H "Authorization: Bearer $KEY"', "")
            text += f"\n```sh\n{command}\n```\n"
        return text

    def content(self, content):
        schema = content["schema"]
        return schema.get("description") if schema.get("format") == "binary" and "description" in schema else (
            self.kind(schema) + ".")

    @staticmethod
    def optional(item):
        return "" if item.get("required") else ", optional"

    def fields(self, schema):
        required = schema.get("required", [])
        return table(("field", "type", "meaning"), [
            (f"`{name}`", self.kind(field) + self.optional({"required": name in required}), field["description"])
            for name, field in schema.get("properties", {}).items()])

    def kind(self, schema):
        """A schema in a few words, with links to objects."""
        if "$ref" in schema:
            name, schema = schema["$ref"].rpartition("/")[2], self.resolved(schema)
            name = name.removeprefix("Known")
            if schema.get("type") == "object" or self.is_long(schema):
                return f"[{name}](#{name.lower()})"
        if "oneOf" in schema:
            return " or ".join(self.kind(part) for part in schema["oneOf"])
        if "anyOf" in schema:
            known, other = map(self.kind, schema["anyOf"])
            return f"{known}; others may follow" if other == "string" else f"{known} or {other}"
        types = schema.get("type", "any JSON")
        if types == "array":
            return f"array of {self.kind(schema['items'])}"
        kind = " or ".join([types] if isinstance(types, str) else types)
        if "enum" in schema:
            return kind if len(schema["enum"]) > 20 else ", ".join(f"`{name}`" for name in schema["enum"])
        if "format" in schema and schema["format"] != "int64":
            return f"{kind} ({schema['format']})"
        if "additionalProperties" in schema and isinstance(schema["additionalProperties"], dict):
            return f"object of {self.kind(schema['additionalProperties'])} by name"
        if "minimum" in schema and "maximum" in schema:
            return f"{kind}, {schema['minimum']} to {schema['maximum']}"
        if "maxLength" in schema:
            return f"{kind}, at most {schema['maxLength']} characters"
        return kind

    def errors(self):
        examples = [example["value"] for example in self.description["components"]["examples"].values()]
        return "\n## Errors\n" + table(("status", "type", "title", "example of detail"), [
            (example["status"], f"`{example['type']}`", example["title"], example["detail"])
            for example in sorted(examples, key=lambda example: example["status"])])


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    cells = [[" ".join(str(cell).split()).replace("|", "\\|") for cell in row] for row in lines]
    return ("\n" + "".join(f"| {' | '.join(row)} |\n" for row in cells)) if rows else ""


def document():
    text = DOCUMENT.read_text()
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return before + START + Document(yaml.safe_load(DESCRIPTION.read_text())).text() + END + after


if __name__ == "__main__":
    DOCUMENT.write_text(document())
