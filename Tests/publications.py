"""Reads publications like a client: the manifest in its envelope, and its files."""

import base64
import hashlib
import json
from pathlib import Path


def parts(folder, head):
    """The files of a head: paths of its bins, then of their descriptions."""
    bins = [f"bins/{digest}.json" for digest in head["bins"]]
    found = list(bins)
    for path in bins:
        packs = json.loads(read(folder, path))["packs"]
        found += [f"descriptions/{digest}.json" for _, digest in sorted(packs.items())]
    return list(dict.fromkeys(found))


def read(folder, path):
    """A file whose name is the SHA-256 of its content."""
    content = (Path(folder) / path).read_bytes()
    assert hashlib.sha256(content).hexdigest() == Path(path).stem, path
    return content


def manifest(folder, file="manifest.json"):
    """The current or a stored manifest of a folder: its head, with the packs of its bins."""
    envelope = json.loads((Path(folder) / file).read_text())
    head = json.loads(base64.b64decode(envelope["payload"]))
    descriptions = [path for path in parts(folder, head) if path.startswith("descriptions/")]
    packs = [json.loads(read(folder, path)) for path in descriptions]
    return head | {"packs": sorted(packs, key=lambda pack: pack["name"])}


def files(shown):
    """Every file of a manifest: path, length, SHA-256."""
    for pack in shown["packs"]:
        for file in [pack, *pack["deltas"], *pack["formats"]]:
            yield file["path"], file["bytes"], file["sha256"]


def check(folder):
    """Checks all files of a folder's current manifest, and returns it."""
    shown = manifest(folder)
    for path, length, digest in files(shown):
        content = (Path(folder) / path).read_bytes()
        assert len(content) == length, path
        assert hashlib.sha256(content).hexdigest() == digest, path
    return shown
