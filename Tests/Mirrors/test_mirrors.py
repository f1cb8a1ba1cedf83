"""The scripts of Documentation/mirrors.md: a reader of a mirror finds a complete set at any time."""

import fcntl
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cutting_proxy import CuttingProxy
from mirrors import Mirror, fetch, serial
from ringfence_server import CHECKOUT
from waiting import wait_until


def clients(mirror, publisher, held, folder):
    """The serials that a new client and one with an earlier set find."""
    known = folder / "known"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copytree(held, known, symlinks=True)
    return [fetch(mirror.address, publisher.key, out)[0] for out in (folder / "new", known)]


@pytest.fixture
def held(stages, publisher, tmp_path):
    """The folder of a client with the set of a stage."""
    def make(stage):
        out = tmp_path / f"held-{stage}"
        fetch(f"file://{stages[stage]}", publisher.key, out)
        return out
    return make


def test_clients_find_each_publication_and_use_deltas(make_mirror, stages, publisher, tmp_path):
    # The folder may be a link, as operations.md recommends.
    mirror, folder = make_mirror(), tmp_path / "publications"
    for stage in ["first", "second", "fourth"]:
        folder.unlink(missing_ok=True)
        folder.symlink_to(stages[stage])
        mirror.copy(folder)
        assert mirror.files() == Mirror.published(stages[stage])
        found, said = fetch(mirror.address, publisher.key, tmp_path / "kept")
        assert found == serial(stages[stage])
        assert ("by a delta of" in said) == (stage == "second")
        assert fetch(mirror.address, publisher.key, tmp_path / stage)[0] == found


def test_killed_after_any_change_clients_find_a_complete_set(make_mirror, stages, publisher, held, tmp_path):
    before, after = stages["second"], stages["third"]
    removed = Mirror.published(before) - Mirror.published(after)
    known = held("second")
    count = len(make_mirror(before).changes(after))
    assert count > len(Mirror.published(after) - Mirror.published(before)) + len(removed) > len(removed) > 0

    def found_after(changes):
        mirror = make_mirror(before)
        mirror.copy_killed(after, changes)
        found = clients(mirror, publisher, known, tmp_path / f"clients-{changes}")
        assert found[0] == found[1] in (serial(before), serial(after)), changes
        if changes % mirror.RECOVERIES == 0:
            mirror.copy(after)
            assert mirror.files() == Mirror.published(after)
        return found[0]

    with ThreadPoolExecutor(2) as pool:
        seen = list(pool.map(found_after, range(1, count + 1)))
    # The manifest is in the middle: files that it needs come before, and removals after it.
    assert seen == sorted(seen) and seen[0] < seen[-1] and seen.count(serial(after)) > len(removed)


def test_killed_during_a_change_of_keys_clients_find_a_complete_set(make_mirror, stages, publisher, held, tmp_path):
    known = held("third")
    count = len(make_mirror(stages["third"]).changes(stages["rotated"]))
    for changes in range(1, count + 1):
        mirror = make_mirror(stages["third"])
        mirror.copy_killed(stages["rotated"], changes)
        assert clients(mirror, publisher, known, tmp_path / "clients") == [serial(stages["third"])] * 2
    mirror.copy(stages["fourth"])
    assert clients(mirror, publisher, known, tmp_path / "clients") == [serial(stages["fourth"])] * 2


def test_a_client_of_the_former_manifest_keeps_its_files(make_mirror, stages, publisher, tmp_path):
    """The script runs from its beginning to its end after a client has read the manifest and before it reads a pack."""
    mirror = make_mirror(stages["second"])
    proxy = CuttingProxy(mirror.port)
    copied = []

    def copy(path):
        if "/packs/" in path and not copied:
            copied.append(path)
            mirror.copy(stages["third"])
            assert mirror.files() == Mirror.published(stages["third"])

    proxy.cut = copy
    address = mirror.address.replace(f":{mirror.port}/", f":{proxy.port}/")
    assert fetch(address, publisher.key, tmp_path / "out")[0] == serial(stages["second"])
    assert copied
    assert fetch(address, publisher.key, tmp_path / "out")[0] == serial(stages["third"])
    proxy.close()


def test_a_publication_during_the_copy_is_left_to_the_next_run(make_mirror, stages, publisher, tmp_path):
    """The next publication changes the folder when the script starts its first program."""
    mirror, folder, tools = make_mirror(), tmp_path / "publications", tmp_path / "bin"
    shutil.copytree(stages["second"], folder)
    tools.mkdir()
    name = mirror.script.removeprefix("mirror-")
    (tools / name).write_text(
        f"#!/bin/sh\n[ -e '{tools}/done' ] || cp -R '{stages['third']}/.' '{folder}/'\n: > '{tools}/done'\n"
        f"exec {shutil.which(name)} \"$@\"\n")
    (tools / name).chmod(0o755)
    mirror.copy(folder, PATH=f"{tools}:{mirror.variables()['PATH']}")
    assert (tools / "done").exists()
    assert fetch(mirror.address, publisher.key, tmp_path / "out")[0] == serial(stages["second"])
    mirror.copy(folder)
    assert fetch(mirror.address, publisher.key, tmp_path / "out")[0] == serial(stages["third"])


def test_a_run_waits_for_another_and_copies_the_newest_manifest(make_mirror, stages, publisher, tmp_path):
    mirror, folder = make_mirror(), tmp_path / "publications"
    shutil.copytree(stages["second"], folder)
    with (folder / f".{mirror.script}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = mirror.start(folder)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")

        def waits():
            return any("flock" in Path(f"/proc/{child}/cmdline").read_text() for child in children.read_text().split())

        wait_until(waits, 30, "the script to wait")
        shutil.copytree(stages["third"], folder, dirs_exist_ok=True)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert fetch(mirror.address, publisher.key, tmp_path / "out")[0] == serial(stages["third"])


def test_a_mirror_that_fails_does_not_keep_others_old(make_mirror, stages, publisher, tmp_path):
    mirror = make_mirror()
    [(name, target)] = [(name, value) for name, value in mirror.variables().items() if name.startswith("MIRROR_")]
    said = mirror.copy(stages["second"], code=1, **{name: f"/dev/null/none {target}"})
    assert "The copy to /dev/null/none failed." in said
    assert fetch(mirror.address, publisher.key, tmp_path / "out")[0] == serial(stages["second"])


def test_the_object_store_refuses_a_wrong_secret(make_store_mirror, stages):
    mirror = make_store_mirror(secret="0" * 32)
    said = mirror.copy(stages["second"], code=1)
    assert "SignatureDoesNotMatch" in said
    assert mirror.files() == set()


def test_objects_may_be_cached_as_long_as_they_do_not_change(make_store_mirror, store, stages):
    mirror = make_store_mirror()
    mirror.copy(stages["second"])
    cached = {path: store.head(mirror.bucket, path)["Cache-Control"] for path in mirror.files()}
    changing = {path for path, value in cached.items() if value == "no-cache"}
    assert changing == {"manifest.json", "root.json"}
    assert {value for path, value in cached.items() if path not in changing} == {
        "public, max-age=31536000, immutable"}


def test_after_publish_copies_each_publication(make_mirror, publisher, tmp_path):
    mirror, program = make_mirror(), tmp_path / "after-publish"
    known = mirror.variables()
    program.write_text(
        "#!/bin/sh\n" + "".join(f"unset {name}\n" for name in os.environ.keys() - known.keys() if name.startswith("AWS_"))
        + "".join(f"export {name}='{known[name]}'\n" for name in known.keys() - os.environ.keys())
        + f"exec '{CHECKOUT}/Packaging/examples/{mirror.script}'\n")
    program.chmod(0o755)
    publisher.publish("--after-publish", str(program))
    assert mirror.files() == Mirror.published(publisher.publications)
    assert fetch(mirror.address, publisher.publications / "root.json", tmp_path / "out")[0] == serial(publisher.publications)
