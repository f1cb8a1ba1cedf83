"""Files that hold secrets are private from the moment they exist, whatever the umask."""

import os
import re
import shutil
import stat
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

from ringfence_server import BINARY, CHECKOUT, environment

# Permissions stay as they were when a file was made: a file that is made readable and changed later is found.
UNCHANGING = """
#include <sys/stat.h>
int chmod(const char *path, mode_t mode) { return 0; }
int fchmod(int file, mode_t mode) { return 0; }
int fchmodat(int folder, const char *path, mode_t mode, int flags) { return 0; }
"""

AS_NOBODY = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}


def mode(path):
    return stat.S_IMODE(Path(path).stat().st_mode)


@pytest.fixture(scope="module")
def unchanging(tmp_path_factory):
    """Runs a command under umask 000 with a chmod that does nothing."""
    compiler = shutil.which("cc") or shutil.which("clang")
    assert compiler, "A C compiler comes with Swift; it is not in PATH."
    folder = tmp_path_factory.mktemp("unchanging")
    (folder / "chmod.c").write_text(UNCHANGING)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", folder / "chmod.so", folder / "chmod.c"], check=True)

    def run(*arguments):
        done = subprocess.run(
            [BINARY, *map(str, arguments)], capture_output=True, text=True, umask=0, timeout=120,
            env={**environment(), "LD_PRELOAD": str(folder / "chmod.so")})
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def server(make_server):
    return make_server()


def test_keys_are_private_from_the_moment_they_exist(unchanging, tmp_path):
    unchanging("keys", "create", "--out", tmp_path / "new.key")
    assert mode(tmp_path / "new.key") == 0o600
    unchanging("keys", "create", "--data", tmp_path / "data")
    assert mode(tmp_path / "data") == 0o700
    assert mode(tmp_path / "data/signing.key") == 0o600
    unchanging("keys", "rotate", "--data", tmp_path / "data")
    assert mode(tmp_path / "data/signing.key") == 0o600


def test_a_backup_is_private_from_the_moment_it_exists(unchanging, server, tmp_path):
    unchanging("backup", tmp_path / "backup.tar", "--data", server.data)
    assert mode(tmp_path / "backup.tar") == 0o600
    with tarfile.open(tmp_path / "backup.tar") as packed:
        modes = {member.name: member.mode & 0o777 for member in packed if "publications" not in member.name}
    assert modes["."] == modes["./keys"] == 0o700
    assert {name for name in modes if name.endswith(".key")} >= {"./keys/pseudonym.key", "./keys/account.key"}
    assert {name: mode for name, mode in modes.items() if mode & 0o077} == {}
    for option, name in [("--keys", "database.dump"), ("--base", "base/base.tar.gz")]:
        folder = tmp_path / option
        unchanging("backup", folder, option, "--data", server.data)
        assert mode(folder) == 0o700 and mode(folder / name) == mode(folder / "backup.json") == 0o600


def test_other_accounts_see_nothing_of_a_backup_that_is_being_made(server, tmp_path):
    """The folder that a backup is made in appears with its permissions; so does all that is put beside it."""
    seen = {}
    backup = subprocess.Popen(
        [BINARY, "backup", tmp_path / "backup.tar", "--data", server.data], stdout=subprocess.DEVNULL, umask=0,
        env=environment())
    while backup.poll() is None:
        for entry in os.scandir(tmp_path):
            try:
                seen.setdefault(entry.name, set()).add(stat.S_IMODE(entry.stat().st_mode))
            except FileNotFoundError:
                pass
    assert backup.returncode == 0 and any(name.endswith(".partial") for name in seen)
    assert {name: modes for name, modes in seen.items() if not modes <= {0o700, 0o600}} == {}


def test_published_files_can_be_read_by_a_web_server_and_their_lock_cannot(make_server):
    """As Documentation/operations.md describes: `publications` is a link to a folder outside of the data folder."""
    with tempfile.TemporaryDirectory() as site:
        os.chmod(site, 0o755)
        server = make_server()
        (server.data / "publications").symlink_to(site)
        server.run("decide", "+33199000248", "--identify", "A shop", "--reason", "It is one.", "--by-program", "Ada")
        server.run("publish", "--min-size", "0")
        assert mode(server.data) == 0o700
        assert mode(Path(site) / ".lock") == 0o600 and mode(Path(site) / ".work") == 0o700
        [pack, *_] = (Path(site) / "packs").iterdir()
        for path in ["manifest.json", "root.json", pack]:
            assert mode(Path(site) / path) & 0o044 == 0o044
        if AS_NOBODY:
            def can_open(path):
                return subprocess.run(["/usr/bin/head", "-c", "1", path], capture_output=True, **AS_NOBODY).returncode == 0

            assert can_open(Path(site) / "manifest.json") and can_open(pack)
            for path in [Path(site) / ".lock", server.data / "publications/manifest.json", server.data / "server.lock"]:
                assert not can_open(path), path
        server.close()


def test_a_command_of_another_account_names_the_owner_of_the_data_folder():
    with tempfile.TemporaryDirectory() as parent:
        os.chmod(parent, 0o755)
        data = Path(parent) / "data"
        (data / "postgresql/data").mkdir(parents=True)
        (data / "postgresql/data/PG_VERSION").write_text("15\n")
        data.chmod(0o700 if AS_NOBODY else 0)
        done = subprocess.run(
            [BINARY, "sources", "status", "--data", data], capture_output=True, text=True, env=environment(), **AS_NOBODY)
        data.chmod(0o700)
        assert done.returncode == 3
        assert done.stderr == (
            f"Error: Cannot enter the data folder {data}: permission denied. Run the command as its owner, {data.owner()}.\n")


def test_other_accounts_cannot_change_what_is_fetched(make_server, tmp_path):
    server = make_server("--demo")
    subprocess.run(
        [BINARY, "fetch", f"{server.address}/v1", "--key", server.data / "publications/root.json", "--out",
         tmp_path / "new/out"], check=True, umask=0, env=environment(), timeout=60)
    found = [tmp_path / "new", *(path for path in (tmp_path / "new").rglob("*") if not path.is_symlink())]
    assert len(found) > 5
    assert {str(path): oct(mode(path)) for path in found if mode(path) & 0o022} == {}


def test_a_crash_writes_no_memory_to_a_file(server):
    """Neither of the server nor of its PostgreSQL (core(5))."""
    for pid in [server.process.pid, server.postmaster()]:
        assert re.search("^Max core file size +0 +0 ", Path(f"/proc/{pid}/limits").read_text(), re.MULTILINE)
        assert int(Path(f"/proc/{pid}/coredump_filter").read_text(), 16) == 0


def test_the_account_of_the_private_postgresql_is_made(tmp_path):
    """`make run` as root makes the account, once."""
    for name, text in {
        "id": "echo 0", "dpkg-query": "printf installed", "swift": "true", "useradd": 'echo "$@" >> "$0.log"',
        "getent": f'test -e "{tmp_path}/useradd.log"',
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    for _ in range(2):
        subprocess.run(
            [CHECKOUT / "Scripts/install-dependencies"], check=True,
            env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    [line] = (tmp_path / "useradd.log").read_text().splitlines()
    assert line.startswith("--system --user-group") and line.endswith(" ringfence")
