"""Publications as a reader meets them: the manifest in its envelope, and the files it names."""

import base64
import hashlib
import json
from pathlib import Path


def manifest(folder, file="manifest.json"):
    """The manifest that a folder shows, or one that it keeps."""
    envelope = json.loads((Path(folder) / file).read_text())
    return json.loads(base64.b64decode(envelope["payload"]))


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
