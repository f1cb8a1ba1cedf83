import configparser
import contextlib
import http.client
import itertools
import os
import re
import secrets
import shutil
import socket
import subprocess
import textwrap
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from mirrors import Mirror, RcloneMirror, RsyncMirror
from ringfence_server import BINARY, CHECKOUT, environment
from waiting import wait_until

RECIPES = """\
recipes:
  - {name: blocklist, kind: blocking, top: 2000, empty: write, categories: [fraud, robocall]}
  - {name: toxic, kind: identification, top: 2000}
"""


class Publisher:
    """A server whose publications keep few earlier files, and copies of its folder after each of them."""

    def __init__(self, server, folder):
        self.server, self.folder = server, folder
        self.publications = server.data / "publications"
        # Complaints fade, so they end today.
        simulated = subprocess.run(
            [BINARY, "simulate", "--seed", "5", "--complaints", "4000", "--ending-at", f"{date.today()}T00:00:00Z"],
            check=True, stdout=subprocess.PIPE, text=True, env=environment())
        lines = simulated.stdout.splitlines(keepends=True)
        # Many at first, then few, so that deltas are shorter than packs.
        self.batches = [lines[:2_800], *(lines[start:start + 200] for start in range(2_800, 4_000, 200))]

    def add_complaints(self):
        path = self.folder / "complaints.jsonl"
        path.write_text("".join(self.batches.pop(0)))
        self.server.run("import", "complaints", str(path), "--format", "jsonl")

    def publish(self, *arguments):
        self.add_complaints()
        self.server.run("publish", *arguments)

    def keep(self, name):
        """A copy of the publications as they are now."""
        kept = self.folder / name
        shutil.copytree(self.publications, kept, copy_function=shutil.copy2)
        return kept


@pytest.fixture(scope="session")
def publisher(make_shared_server, tmp_path_factory, starting_store):
    folder = tmp_path_factory.mktemp("publisher")
    (folder / "recipes.yaml").write_text(RECIPES)
    server = make_shared_server(
        RINGFENCE_RECIPES=str(folder / "recipes.yaml"), RINGFENCE_DELTA_BASES="1", RINGFENCE_TOLERANCE="100000")
    publisher = Publisher(server, folder)
    # Expired, so that a later publication removes its files.
    expired = datetime.now(timezone.utc) - timedelta(days=3)
    publisher.publish("--at", expired.strftime("%Y-%m-%dT%H:%M:%SZ"), "--reproduce")
    publisher.key = folder / "root.json"
    shutil.copy(publisher.publications / "root.json", publisher.key)
    return publisher


@pytest.fixture(scope="session")
def stages(publisher):
    """Copies of one folder: two publications with deltas between them, a third that has removed the files of an expired
    one, a change of the key, and a publication after it."""
    kept = {}
    for name in ["first", "second", "third"]:
        publisher.publish()
        kept[name] = publisher.keep(name)
    publisher.server.run("keys", "rotate")
    kept["rotated"] = publisher.keep("rotated")
    publisher.publish()
    kept["fourth"] = publisher.keep("fourth")
    return kept


def sample(page, language):
    """The first block of code in a language."""
    found = re.search(rf"^( *)```{language}\n(.*?)^ *```", (CHECKOUT / page).read_text(), re.DOTALL | re.MULTILINE)
    return textwrap.dedent(found[2])


class Store:
    """The object store, with an account that may write and the settings of rclone for it."""

    access_key, secret = "test:tester", secrets.token_hex(16)

    def __init__(self, folder):
        """Starts the store without waiting."""
        self.folder = folder
        self.numbers = itertools.count(1)
        self.log = folder / "store.log"
        program = Path(__file__).parent / "object_store.py"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                ["/usr/bin/python3", program, folder / "store", self.access_key, self.secret], stdout=subprocess.PIPE,
                stderr=log, text=True)

    def listen(self):
        """Waits until the store listens."""
        self.port = int(self.process.stdout.readline() or pytest.fail(self.log.read_text()))
        account = {"X-Auth-User": self.access_key, "X-Auth-Key": self.secret}
        self.token = self._request("GET", "/auth/v1.0", account).headers["X-Auth-Token"]

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=30)

    def _request(self, method, path, headers, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.content = answer.read()
        assert answer.status < 300, (method, path, answer.status, answer.content)
        return answer

    def bucket(self, files=None):
        """A new bucket that everybody may read, with the files of a folder."""
        name = f"bucket{next(self.numbers)}"
        self._request("PUT", self.path(name), {"X-Auth-Token": self.token, "X-Container-Read": ".r:*"})
        for path in Mirror.published(files) if files else []:
            self._request("PUT", f"{self.path(name)}/{path}", {"X-Auth-Token": self.token}, (files / path).read_bytes())
        return name

    def path(self, bucket):
        return f"/v1/AUTH_test/{bucket}"

    def list(self, bucket):
        listing = self._request("GET", self.path(bucket), {"X-Auth-Token": self.token})
        return set(listing.content.decode().split())

    def head(self, bucket, path):
        return self._request("HEAD", f"{self.path(bucket)}/{path}", {}).headers

    def rclone(self, endpoint, secret=None):
        """Environment of rclone, with the settings that the documentation has."""
        settings = configparser.ConfigParser()
        settings.read_string(sample("Documentation/mirrors.md", "ini"))
        settings["mirror"].update(
            endpoint=endpoint, access_key_id=self.access_key, secret_access_key=secret or self.secret)
        path = self.folder / f"{next(self.numbers)}.conf"
        with path.open("w") as file:
            settings.write(file)
        # Settings for Amazon's programs apply to rclone too.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "RCLONE_"))}
        # No test waits for retries.
        return kept | {"RCLONE_CONFIG": str(path), "RCLONE_RETRIES": "1", "RCLONE_LOW_LEVEL_RETRIES": "1"}


@pytest.fixture(scope="session")
def starting_store(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    yield store
    store.close()


@pytest.fixture(scope="session")
def store(starting_store):
    starting_store.listen()
    return starting_store


@pytest.fixture(scope="session")
def nginx(tmp_path_factory):
    """The address of nginx with a folder for each mirror, and the folder."""
    state = tmp_path_factory.mktemp("nginx")
    folder = state / "mirrors"
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = (CHECKOUT / "Tests/nginx.conf").read_text()
    for name, value in [("@FOLDER@", folder), ("@PORT@", port), ("@STATE@", state)]:
        text = text.replace(name, str(value))
    # nginx's workers give up root and could not read the test's folder.
    (state / "nginx.conf").write_text("user root;\n" * (os.getuid() == 0) + text)
    path = f"{os.environ['PATH']}:/usr/sbin"
    process = subprocess.Popen(
        [shutil.which("nginx", path=path), "-p", state, "-c", state / "nginx.conf", "-g", "daemon off;"])

    def listens():
        assert process.poll() is None, (state / "error.log").read_text()
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", port)) == 0

    wait_until(listens, 30, "nginx to listen")
    yield f"http://127.0.0.1:{port}", folder
    process.terminate()
    process.wait(timeout=30)


@pytest.fixture(scope="session")
def counter(tmp_path_factory):
    """A library that ends rsync and its script after a number of changed files."""
    compiler = shutil.which("cc") or shutil.which("clang")
    assert compiler, "A C compiler comes with Swift; it is not in PATH."
    library = tmp_path_factory.mktemp("counter") / "counter.so"
    source = Path(__file__).parent / "count_renames.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.fixture
def make_store_mirror(store):
    with contextlib.ExitStack() as stack:
        yield lambda files=None, secret=None: stack.enter_context(contextlib.closing(RcloneMirror(store, files, secret)))


@pytest.fixture(params=["rclone", "rsync"])
def make_mirror(request, make_store_mirror, nginx, counter):
    """Makes mirrors, empty or with the files of a folder, for one of the scripts."""
    if request.param == "rclone":
        return make_store_mirror
    return lambda files=None: RsyncMirror(nginx, counter, files)
