#!/usr/bin/env python3
"""Measures the time from `git clone` to the first published pack, in a minimal Debian root with a Swift toolchain.

    sudo Scripts/first-pack.py [--repository URL] [--swift FOLDER] [--base FOLDER] [--packages FOLDER]

Included: cloning and `make run` (Debian packages, downloads, the build, PostgreSQL's start, the sample complaints)
until the server returns a manifest and its pack was downloaded and verified. Not included: creating the root, and
unpacking Swift, which is mounted from this machine.
"""

import argparse
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import bare_root
from bare_root import inside, megabytes, mounted

PORT = "8399"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", default=str(Path(__file__).resolve().parent.parent),
                        help="what is cloned; this checkout's commits unless it is given")
    parser.add_argument("--swift", type=Path, default=Path(shutil.which("swift") or "/opt/swift/usr/bin/swift"),
                        help="the toolchain's swift; its folder of bin, lib, share is bound")
    parser.add_argument("--base", type=Path, help="where the bare root is kept from one run to the next")
    parser.add_argument("--packages", type=Path,
                        help="a mirror of github.com, as OWNER/NAME, that packages are cloned from; the figure is then "
                             "without the time that the network takes for them")
    parser.add_argument("--program", type=Path,
                        help="try this script with a program that is there, built with this toolchain: nothing is built "
                             "and the figure is without that")
    parser.add_argument("--minutes", type=float, default=90, help="when to give up")
    options = parser.parse_args()
    bare_root.need_root()
    toolchain = options.swift.resolve().parent.parent
    folder = Path(tempfile.mkdtemp(prefix="ringfence-first-"))
    folder.chmod(0o755)
    marks = []

    def mark(what, since):
        marks.append((what, time.monotonic() - since))
        print(f"{marks[-1][1]:8.1f} s  {what}", flush=True)

    try:
        begun = time.monotonic()
        base = bare_root.make(options.base or folder / "base", "bookworm")
        root = bare_root.copy(base, folder / "root")
        mark(f"a bare root of {megabytes(bare_root.bytes_of(root))} (not counted)", begun)
        binds = [(toolchain, toolchain)]
        is_local = Path(options.repository).exists()
        if is_local:
            binds.append((options.repository, "/repository"))
        if options.packages:
            binds.append((options.packages, bare_root.PACKAGES))
            bare_root.take_packages_from(root)
        with mounted(root, *binds):
            bare_root.install_swift_needs(root)
            mark("Swift's own requirements (not counted)", begun)
            start = time.monotonic()
            inside(root, "/usr/bin/git", "-c", "safe.directory=*", "clone", "--quiet",
                   "/repository" if is_local else options.repository, "/srv/ringfence")
            mark("git clone", start)
            if options.program:
                (root / "srv/ringfence/.build/release").mkdir(parents=True)
                shutil.copy(options.program, root / "srv/ringfence/.build/release/ringfence")
                (root / "usr/local/bin/swift").write_text("#!/bin/sh\n")
                (root / "usr/local/bin/swift").chmod(0o755)
            run_server(root, toolchain, start, mark, options.minutes * 60)
            mark("TOTAL, from git clone to a pack that was fetched and verified", start)
    finally:
        subprocess.run(["umount", "--recursive", "--lazy", folder / "root"], stderr=subprocess.DEVNULL)
        subprocess.run(["rm", "--recursive", "--force", "--one-file-system", folder], check=False)


def run_server(root, toolchain, start, mark, seconds):
    variables = {"PATH": f"/usr/local/bin:{toolchain}/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
                 "DEBIAN_FRONTEND": "noninteractive"}
    log = root / "srv/make.log"
    with log.open("w") as output:
        server = subprocess.Popen(
            ["chroot", str(root), "/usr/bin/make", "-C", "/srv/ringfence", "run", f"PORT={PORT}"], env=variables,
            stdout=output, stderr=output, start_new_session=True)
    try:
        manifest = f"http://127.0.0.1:{PORT}/v1/manifest.json"
        while subprocess.run(["curl", "--silent", "--fail", "--output", "/dev/null", manifest]).returncode != 0:
            said = log.read_text(errors="replace")
            if server.poll() is not None or time.monotonic() > start + seconds:
                raise SystemExit(f"There is no publication:\n{said[-3000:]}")
            time.sleep(0.5)
        mark("make run: a publication is there", start)
        program = "/srv/ringfence/.build/release/ringfence"
        key = inside(root, program, "keys", "list", "--data", "/srv/ringfence/.ringfence", **variables)
        (root / "srv/root.json").write_text(
            inside(root, program, "keys", "export", "--root", "--data", "/srv/ringfence/.ringfence", **variables))
        inside(root, program, "fetch", f"http://127.0.0.1:{PORT}/v1", "--key", "/srv/root.json", "--out", "/srv/packs",
               **variables)
        packs = sorted((root / "srv/packs/current").glob("*.rfpack"))
        assert packs and key, "Nothing was fetched."
        for pack in packs:
            inside(root, program, "pack", "verify", f"/srv/packs/current/{pack.name}", **variables)
        mark(f"fetched and verified: {', '.join(pack.name for pack in packs)}", start)
    finally:
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGINT)
            try:
                server.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
