"""The readers in Python run every vector, and the vectors are those that the script writes."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent
subprocess.run([sys.executable, CHECKOUT / "Scripts/make-vectors.py", FOLDER, "--missing"], check=True, capture_output=True, timeout=300)
sys.path.insert(0, str(CHECKOUT / "Scripts"))

import pack_reader as packs  # noqa: E402
import publication_reader as publications  # noqa: E402

VECTORS = json.loads((FOLDER / "vectors.json").read_text())
LISTS = [name for name, value in VECTORS.items() if isinstance(value, list)]
NOW = VECTORS["now"]


def read(name):
    return (FOLDER / name).read_bytes()


def check_document(vector):
    data = read(vector["file"])
    if vector["as"] == "manifest":
        trust = publications.Trust(root=read("publication/root.json"))
        head, _ = trust.verify(data, NOW, tuple(vector["seen"]) if "seen" in vector else None)
        for name in {"issued", "expires"} & vector.keys():
            assert publications.moment(head, name, "5") == vector[name], vector["file"]
    elif vector["as"] == "root":
        publications.Trust(root=read("publication/roots/1.root.json")).follow(data)
    elif vector["as"] == "bin":
        publications.read_bin(data, vector.get("index", 0), vector.get("count", 1))
    else:
        pack = publications.read_description(data, vector["name"], 2)
        if "pack" in vector:
            publications.check_pack(pack, read(vector["pack"]))


def refusal(work):
    try:
        work()
    except packs.Refused as refused:
        return refused.section
    return "accepted"


def wrong(vectors, document, work):
    """The vectors that were not refused for their rule."""
    return [(vector["file"], vector["rule"], found) for vector in vectors
            if f"{document} {(found := refusal(lambda: work(vector)))}" != vector["rule"]]


def test_there_are_enough_vectors():
    refused = [vector for name in LISTS if name.startswith("refused") for vector in VECTORS[name]]
    assert len(refused) >= 300
    assert all(vector["rule"].split()[0] in ("PackFormat", "Publication") for vector in refused)


def test_sums():
    lines = [line.split("  ") for line in (FOLDER / "SHA256SUMS").read_text().splitlines()]
    assert all(hashlib.sha256(read(name)).hexdigest() == digest for digest, name in lines)
    listed = {vector["file"] for name in LISTS for vector in VECTORS[name]}
    assert listed <= {name for _, name in lines}
    written = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.*") if path.suffix in (".rfpack", ".rfdelta", ".tsv", ".json")}
    assert written == {name for _, name in lines}


def test_python_reads_packs():
    for vector in VECTORS["packs"]:
        _, _, entries = packs.read_pack(read(vector["file"]))
        assert packs.dump(entries) == read(vector["dump"]), vector["file"]
        assert packs.content_digest(entries) == vector["content_sha256"], vector["file"]
    assert not wrong(VECTORS["refused_packs"], "PackFormat", lambda vector: packs.read_pack(read(vector["file"])))


def test_python_looks_numbers_up():
    for vector in VECTORS["lookups"]:
        pack = packs.Pack(read(vector["pack"]))
        lines = read(vector["file"]).decode().splitlines()
        assert len(lines) >= 3
        for line in lines:
            number, roles, label = line.split("\t")
            found, text = pack.lookup(int(number))
            assert (str(found), packs.escaped(text.decode())) == (roles, label), (vector["file"], number)
    assert not wrong(
        VECTORS["refused_lookups"], "PackFormat", lambda vector: packs.Pack(read(vector["file"])).lookup(vector["number"]))


def test_python_applies_deltas():
    for vector in VECTORS["deltas"]:
        assert packs.apply_delta(read(vector["base"]), read(vector["file"])) == read(vector["result"]), vector["file"]
    assert not wrong(
        VECTORS["refused_deltas"], "PackFormat", lambda vector: packs.apply_delta(read(vector["base"]), read(vector["file"])))


def test_python_reads_documents():
    for vector in VECTORS["accepted_documents"]:
        assert refusal(lambda: check_document(vector)) == "accepted", vector["file"]
    assert not wrong(VECTORS["refused_documents"], "Publication", check_document)


def test_python_follows_the_publication():
    key = base64.b64decode(VECTORS["keys"]["first"]["public"])
    assert sorted(publications.follow(FOLDER / "publication", key, NOW)) == ["block", "both", "none"]


# The worked delta of the document.


DOCUMENT = (CHECKOUT / "Sources/CallerPack/CallerPack.docc/PackFormat.md").read_text()


def test_the_worked_delta_of_the_document_is_recomputed():
    section = DOCUMENT.split("## 15 A worked delta\n")[1].split("\n## ")[0]
    data = b""
    for at, cells in re.findall(r"^\| (\d+) \| ([0-9A-F ]+) \|", section, re.MULTILINE):
        assert int(at) == len(data)
        data += bytes.fromhex(cells)
    assert data == read("deltas/worked.rfdelta")
    assert packs.apply_delta((CHECKOUT / "Tests/CallerPackTests/Golden/example.rfpack").read_bytes(), data) == read("deltas/worked.result.rfpack")

    # The bits of each column, by the writer's side of sections 6.2 and 6.3.
    shown = {name: bits.replace(" ", "") for name, bits in re.findall(r"^(\w+): +([01 ]+?) *(?:#.*)?$", section, re.MULTILINE)}
    base, result = (packs.read_pack(read(f"deltas/worked.{name}.rfpack")) for name in ("base", "result"))
    for name, variant, value, low, high in (
            ("removed", 0, 1, 0, 3), ("changed", 0, 2, 0, 3), ("added", 1, 6_434_000_050, 1, 6_434_000_100)):
        bits = packs.BitWriter()
        packs.put_interpolative(bits, variant, [value], low, high)
        assert shown.pop(name) == f"{bits.value:0{bits.count}b}", name
    labels = packs.LabelWriter(result[1], 3)
    for entry in result[2]:
        if entry not in base[2]:
            labels.put(*entry[1:])
    assert shown == {"labels": f"{labels.bits.value:0{labels.bits.count}b}"}


# The schemas that the server serves.


SCHEMAS = {kind: json.loads((CHECKOUT / f"Public/schemas/{kind}.schema.json").read_text()) for kind in ("manifest", "root", "bin", "pack", "envelope")}


def fields(vector):
    """The fields of a document, and of an envelope its payload's; None when a reader cannot get at them."""
    try:
        document = json.loads(read(vector["file"]))
        if vector["as"] in ("manifest", "root"):
            document = json.loads(base64.b64decode(document["payload"], validate=True))
        return document
    except ValueError:
        return None


@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_schema_is_one(kind):
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[kind])
    assert SCHEMAS[kind]["$id"] == f"urn:ringfence:schema:{kind}"


def test_the_publication_has_the_form_of_the_schemas():
    def payload(path):
        return json.loads(base64.b64decode(json.loads(read(path))["payload"]))
    found = [("manifest", payload(path)) for path in ("publication/manifest.json", "publication/manifests/1.json")]
    found += [("root", payload(f"publication/roots/{serial}.root.json")) for serial in (1, 2)]
    found += [("envelope", json.loads(read("publication/manifest.json")))]
    found += [(kind, json.loads(path.read_text())) for kind, folder in (("bin", "bins"), ("pack", "descriptions"))
              for path in (FOLDER / "publication" / folder).glob("*.json")]
    names = {"manifest": "manifest", "root": "root", "bin": "bin", "description": "pack"}
    found += [(names[vector["as"]], fields(vector)) for vector in VECTORS["accepted_documents"]]
    for kind, document in found:
        jsonschema.validate(document, SCHEMAS[kind], cls=jsonschema.Draft202012Validator)


def test_the_schemas_refuse_fields_that_break_a_rule():
    """Rules about single fields are in the schemas; those about the form, or about several fields, cannot be."""
    names = {"manifest": "manifest", "root": "root", "bin": "bin", "description": "pack"}
    refused = 0
    for vector in VECTORS["refused_documents"]:
        document = fields(vector) if vector["as"] in names else None
        if document is None or vector["rule"].split()[1] not in ("3.2", "3.3", "3.4", "5", "6", "7", "8"):
            continue
        validator = jsonschema.Draft202012Validator(SCHEMAS[names[vector["as"]]])
        refused += not validator.is_valid(document)
    assert refused >= 90, refused
