"""Publications as a reader meets them: the manifest in its envelope, and the files it names."""

import base64
import hashlib
import json
from pathlib import Path


def parts(folder, head):
    """The files that a head covers: paths of its bins, then of the descriptions that they name."""
    bins = [f"bins/{digest}.json" for digest in head["bins"]]
    found = list(bins)
    for path in bins:
        packs = json.loads(read(folder, path))["packs"]
        found += [f"descriptions/{digest}.json" for _, digest in sorted(packs.items())]
    return list(dict.fromkeys(found))


def read(folder, path):
    """A file that is named by the SHA-256 of its content."""
    content = (Path(folder) / path).read_bytes()
    assert hashlib.sha256(content).hexdigest() == Path(path).stem, path
    return content


def manifest(folder, file="manifest.json"):
    """The manifest that a folder shows, or one that it keeps: its head, with the packs that its bins name."""
    envelope = json.loads((Path(folder) / file).read_text())
    head = json.loads(base64.b64decode(envelope["payload"]))
    descriptions = [path for path in parts(folder, head) if path.startswith("descriptions/")]
    packs = [json.loads(read(folder, path)) for path in descriptions]
    return head | {"packs": sorted(packs, key=lambda pack: pack["name"])}


def files(shown):
    """Every file that a manifest names: path, length, SHA-256."""
    for pack in shown["packs"]:
        for file in [pack, *pack["deltas"], *pack["formats"]]:
            yield file["path"], file["bytes"], file["sha256"]


def check(folder):
    """The manifest that a folder shows, when every file that it names is there, whole."""
    shown = manifest(folder)
    for path, length, digest in files(shown):
        content = (Path(folder) / path).read_bytes()
        assert len(content) == length, path
        assert hashlib.sha256(content).hexdigest() == digest, path
    return shown
