"""Mirrors of publications that the scripts of Packaging/examples fill, and clients that read them."""

import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import publications
from ringfence_server import BINARY, CHECKOUT, environment
from store_proxy import StoreProxy


def fetch(url, key, out):
    """Fetches with `ringfence fetch`, checks each file of the set, and returns its serial."""
    done = subprocess.run(
        [BINARY, "fetch", url, "--key", str(key), "--out", str(out), "--retries", "0"], capture_output=True, text=True,
        env=environment(), timeout=60)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    manifest = publications.manifest(Path(out) / "current")
    for pack in manifest["packs"]:
        held = (Path(out) / "current" / f"{pack['name']}.rfpack").read_bytes()
        assert hashlib.sha256(held).hexdigest() == pack["sha256"]
    return manifest["serial"], done.stdout


def serial(folder):
    return publications.manifest(folder)["serial"]


class Mirror:
    """A place that a script copies publications to."""

    script = ""
    # One of so many killed copies is followed by a complete one, which takes a second with rclone.
    RECOVERIES = 1

    @staticmethod
    def published(folder):
        """The paths of all files of a folder that readers may ask for."""
        found = [path.relative_to(folder) for path in Path(folder).rglob("*") if path.is_file()]
        return {str(path) for path in found if not any(part.startswith(".") for part in path.parts)}

    def variables(self):
        raise NotImplementedError

    def start(self, folder, **variables):
        """Starts the script as the server does, in a process group of its own."""
        known = {"RINGFENCE_PUBLICATIONS": str(folder), "RINGFENCE_SERIAL": str(serial(folder))}
        return subprocess.Popen(
            [CHECKOUT / "Packaging/examples" / self.script], env=self.variables() | known | variables,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def copy(self, folder, code=0, **variables):
        """Runs the script to its end and returns its output."""
        process = self.start(folder, **variables)
        said, _ = process.communicate(timeout=120)
        assert process.returncode == code, said
        return said

    def end(self, process):
        """Kills the script and its programs."""
        os.killpg(process.pid, signal.SIGKILL)


class RcloneMirror(Mirror):
    script = "mirror-rclone"
    RECOVERIES = 8

    def __init__(self, store, files=None, secret=None):
        self.store = store
        self.bucket = store.bucket(files)
        self.port = store.port
        self.address = f"http://127.0.0.1:{store.port}{store.path(self.bucket)}"
        self.proxy = StoreProxy(store.port)
        self.environment = store.rclone(self.proxy.address, secret) | {"MIRROR_RCLONE": f"mirror:{self.bucket}"}

    def close(self):
        self.proxy.close()

    def variables(self):
        return self.environment

    def files(self):
        return self.store.list(self.bucket)

    def changes(self, folder):
        """Copies, and returns the changed paths in their order."""
        self.proxy.start()
        self.copy(folder)
        return [path.removeprefix(f"/{self.bucket}/") for _, path in self.proxy.changes]

    def copy_killed(self, folder, changes):
        """Copies, and kills rclone and the script as soon as the store has made a number of changes."""
        running = []
        self.proxy.start(changes, lambda: self.end(running[0]))
        # No change is made before this process is known: the lock of the proxy is held.
        with self.proxy.paused():
            running.append(self.start(folder))
        running[0].communicate(timeout=60)
        assert running[0].returncode == -signal.SIGKILL
        assert len(self.proxy.changes) == changes
        self.proxy.start()


class RsyncMirror(Mirror):
    script = "mirror-rsync"

    def __init__(self, nginx, counter, files=None):
        address, root = nginx
        self.folder = Path(tempfile.mkdtemp(dir=root))
        self.counter, self.counted = counter, root.parent / f"{self.folder.name}.count"
        if files:
            for path in self.published(files):
                target = self.folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(Path(files) / path, target)
        self.address = f"{address}/{self.folder.name}"
        self.port = int(address.rpartition(":")[2])

    def variables(self):
        return {**os.environ, "MIRROR_RSYNC": str(self.folder)}

    def files(self):
        return self.published(self.folder)

    def counting(self, **variables):
        self.counted.unlink(missing_ok=True)
        return {"LD_PRELOAD": str(self.counter), "COUNT": str(self.counted)} | variables

    def changes(self, folder):
        self.copy(folder, **self.counting())
        return self.counted.read_text()

    def copy_killed(self, folder, changes):
        """Copies, and kills rsync and the script as soon as a number of files is renamed or removed."""
        process = self.start(folder, **self.counting(LIMIT=str(changes)))
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        assert len(self.counted.read_text()) == changes
