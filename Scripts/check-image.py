#!/usr/bin/env python3
"""Replays Docker/Dockerfile in minimal Debian roots without an engine, and runs the server there like the image does.

    sudo Scripts/check-image.py [--binary .build/release/ringfence] [--base FOLDER] [--packages FOLDER] [--keep]

With --binary, a program that was built with --static-swift-stdlib, the first stage, which builds the program, is
skipped. Otherwise it is replayed too, with this machine's toolchain instead of Swift's own image. Checks: every library
is installed; Debian's nginx accepts the proxy's configuration; the server starts as another user, without capabilities,
on a read-only root, with secrets from files; the image's own HEALTHCHECK passes; a report is accepted and published;
SIGTERM ends the server in order.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
import uuid
from pathlib import Path

import bare_root
from bare_root import inside, megabytes, mounted, run

CHECKOUT = Path(__file__).resolve().parent.parent
DOCKERFILE = CHECKOUT / "Docker/Dockerfile"
# Swift has no image of a newer release.
BUILD_SUITE = "bookworm"


def stages(text):
    """The instructions of each stage as a list of (name, words), without comments and with continued lines joined."""
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE)
    found = []
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if not line.strip():
            continue
        name, _, rest = line.strip().partition(" ")
        if name == "FROM":
            found.append([])
        found[-1].append((name, rest.strip()))
    return found


def say(what):
    print(f"{time.monotonic() - BEGIN:6.1f} s  {what}", flush=True)


def build_program(base, folder, packages):
    """Replays the first stage with the commits of this checkout; returns the folder of its /out."""
    toolchain = Path(shutil.which("swift") or "/opt/swift/usr/bin/swift").resolve().parent.parent
    root = bare_root.copy(base, folder / "build")
    binds = [(toolchain, toolchain)] + ([(packages, bare_root.PACKAGES)] if packages else [])
    with mounted(root, *binds):
        bare_root.install_swift_needs(root)
        if packages:
            bare_root.take_packages_from(root)
        say("a root as Swift's image has it")
        place = "/"
        for name, rest in stages(DOCKERFILE.read_text())[0]:
            if name == "FROM":
                version = re.fullmatch(rf"swift:([0-9.]+)-{BUILD_SUITE} AS build", rest)[1]
                assert f"Swift version {version} " in inside(root, toolchain / "bin/swift", "--version"), version
            elif name == "WORKDIR":
                place = rest
                (root / place.lstrip("/")).mkdir(parents=True, exist_ok=True)
            elif name == "COPY":
                assert rest == ". .", rest
                archive = subprocess.run(["git", "-c", "safe.directory=*", "archive", "HEAD"], cwd=CHECKOUT, check=True,
                                         capture_output=True).stdout
                unpacked = subprocess.run(["tar", "--extract", f"--directory={root / place.lstrip('/')}"], input=archive)
                assert unpacked.returncode == 0
            elif name == "RUN":
                inside(root, "/bin/sh", "-c", f"cd {place} && {rest}",
                       PATH=f"{toolchain}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
                say(f"RUN {rest[:60]}…")
            else:
                raise SystemExit(f"{name} is new in the first stage: teach it to this script.")
        shutil.copytree(root / "out", folder / "out", symlinks=True)
    return folder / "out"


def build_image(root, out, binary):
    """Replays the second stage with the result of the first stage or a program; returns its settings."""
    build, final = stages(DOCKERFILE.read_text())
    settings = {}
    for name, rest in final:
        if name == "FROM":
            assert rest == f"debian:{bare_root.SUITE}-slim", rest
        elif name == "RUN":
            inside(root, "/bin/sh", "-c", rest)
            say(f"RUN {rest[:60]}…")
        elif name == "COPY":
            assert rest == "--from=build /out/ /", rest
            if out:
                run("cp", "--recursive", f"{out}/.", root)
                say(f"COPY the program, {megabytes((root / 'usr/bin/ringfence').stat().st_size)}")
                continue
            run("install", "-D", "--strip", binary, root / "usr/bin/ringfence")
            share = root / "usr/share/ringfence"
            share.mkdir(parents=True)
            [folders] = re.findall(r"cp -R (.*) /out/usr/share/ringfence/", " ".join(r for n, r in build if n == "RUN"))
            for folder in folders.split():
                run("cp", "--recursive", CHECKOUT / folder, share)
            say(f"COPY the program, {megabytes((root / 'usr/bin/ringfence').stat().st_size)}, and {folders}")
        elif name == "ENV":
            settings["ENV"] = dict(pair.split("=", 1) for pair in shlex.split(rest))
        else:
            settings[name] = rest
    return settings


def check_libraries(root):
    listed = inside(root, "/usr/bin/ldd", "/usr/bin/ringfence")
    missing = [line for line in listed.splitlines() if "not found" in line]
    assert not missing, missing
    assert "libswift" not in listed, "Swift's own libraries are not in the image: build with --static-swift-stdlib."
    say(f"ldd: {len(listed.splitlines())} libraries, none missing")


def check_mail(root):
    said = inside(root, "/usr/bin/curl", "--version")
    assert {"smtp", "smtps"} <= set(said.split()), said
    say("curl: it can send mail")


def check_proxy(base, folder):
    """Runs `nginx -t` with Debian's nginx on the proxy's configuration."""
    root = bare_root.copy(base, folder / "proxy")
    with mounted(root):
        inside(root, "/bin/sh", "-c",
               "apt-get update -q=2 && apt-get install -q=2 --yes --no-install-recommends nginx-light openssl")
        secrets = root / "run/secrets"
        secrets.mkdir(parents=True)
        inside(root, "/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
               "/CN=ringfence.example", "-keyout", "/run/secrets/tls_key", "-out", "/run/secrets/tls_certificate")
        shutil.copy(CHECKOUT / "Docker/nginx.conf", root / "etc/nginx/nginx.conf")
        with (root / "etc/hosts").open("a") as hosts:
            hosts.write("127.0.0.1 ringfence\n")
        inside(root, "/usr/sbin/nginx", "-t")
    say("nginx -t: the proxy's configuration is good")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Database:
    """This machine's PostgreSQL in a separate folder, over TCP with a password, as in compose.yaml."""

    def __init__(self, folder):
        self.programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        self.folder, self.port, self.password = folder, free_port(), uuid.uuid4().hex
        folder.mkdir()
        (folder / "password").write_text(self.password)
        shutil.chown(folder, "postgres", "postgres")
        shutil.chown(folder / "password", "postgres", "postgres")
        self._run("initdb", f"--pgdata={folder}/data", "--username=ringfence", f"--pwfile={folder}/password",
                  "--auth=scram-sha-256", "--locale=C.UTF-8")
        self._run("pg_ctl", f"--pgdata={folder}/data", "--wait", f"--log={folder}/log", "start",
                  f"--options=-c listen_addresses=127.0.0.1 -p {self.port} -c unix_socket_directories={folder}")

    def _run(self, program, *arguments):
        run("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", self.programs / program, *arguments,
            cwd="/")

    @property
    def url(self):
        return f"postgresql://ringfence:{self.password}@127.0.0.1:{self.port}/postgres"

    def stop(self):
        self._run("pg_ctl", f"--pgdata={self.folder}/data", "--mode=fast", "stop")


class Image:
    """The root as in a container: read-only, one volume, /tmp in memory, no capabilities."""

    def __init__(self, root, settings, folder, database):
        self.root, self.settings = root, settings
        user, _, group = settings["USER"].partition(":")
        self.user, self.group = int(user), int(group)
        self.volume = root / settings["VOLUME"].lstrip("/")
        assert self.volume.stat().st_uid == self.user, "The volume belongs to somebody else."
        secrets = {"database_url": database.url, "pseudonym_key": "ab" * 32, "account_key": "cd" * 32,
                   "signing_key": self._signing_key()}
        (root / "run/secrets").mkdir()
        for name, text in secrets.items():
            file = root / "run/secrets" / name
            file.write_text(text + "\n")
            os.chown(file, self.user, self.group)
            file.chmod(0o400)
        data = folder / "volume"
        data.mkdir(mode=0o700)
        os.chown(data, self.user, self.group)
        run("mount", "--bind", root, root)
        run("mount", "--bind", data, self.volume)
        run("mount", "-t", "tmpfs", "tmpfs", root / "tmp", "-o", "mode=1777")
        run("mount", "-t", "proc", "proc", root / "proc")
        run("mount", "--bind", "/dev", root / "dev")
        run("mount", "-o", "remount,bind,ro", root)

    @staticmethod
    def _signing_key():
        import base64
        return base64.b64encode(os.urandom(32)).decode()

    def command(self, *words):
        """The command line that runs a command in the container."""
        return ["setpriv", "--no-new-privs", "--bounding-set=-all,+sys_chroot,+setuid,+setgid", "--inh-caps=-all",
                "/usr/sbin/chroot", f"--userspec={self.user}:{self.group}", str(self.root), *words]

    @property
    def environment(self):
        return {"PATH": "/usr/bin:/bin", **self.settings["ENV"],
                "DATABASE_URL_FILE": "/run/secrets/database_url",
                "RINGFENCE_PSEUDONYM_KEY_FILE": "/run/secrets/pseudonym_key",
                "RINGFENCE_ACCOUNT_KEY_FILE": "/run/secrets/account_key",
                "RINGFENCE_SIGNING_KEY_FILE": "/run/secrets/signing_key"}

    def start(self, log):
        """Runs the image's ENTRYPOINT and CMD."""
        words = json.loads(self.settings["ENTRYPOINT"]) + json.loads(self.settings["CMD"])
        with log.open("w") as output:
            return subprocess.Popen(self.command(*words), env=self.environment, stdout=output, stderr=output)

    def run(self, *words):
        return subprocess.run(self.command("/usr/bin/ringfence", *words), env=self.environment, text=True,
                              capture_output=True, timeout=120)

    @property
    def health_command(self):
        return json.loads(re.search(r"CMD (\[.*\])", self.settings["HEALTHCHECK"])[1])


def check_server(root, settings, folder, database):
    image = Image(root, settings, folder, database)
    log = folder / "server.log"
    begun = time.monotonic()
    server = image.start(log)
    try:
        while image.run(*image.health_command[1:]).returncode != 0:
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < begun + 120, log.read_text()
            time.sleep(0.2)
        say(f"HEALTHCHECK is green {time.monotonic() - begun:.1f} s after the start")
        status = Path(f"/proc/{server.pid}/status").read_text()
        facts = dict(re.findall(r"^(Uid|CapEff|CapPrm|NoNewPrivs):\s+(\S+)", status, re.MULTILINE))
        assert facts == {"Uid": str(image.user), "CapEff": "0" * 16, "CapPrm": "0" * 16, "NoNewPrivs": "1"}, facts
        write = subprocess.run(image.command("/usr/bin/touch", "/etc/x"), capture_output=True)
        assert write.returncode != 0, "The root can be written."
        say(f"it runs as {facts['Uid']} without capabilities, on a root that cannot be written")
        check_work(image)
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0, log.read_text()
        say("SIGTERM: ended in order")
    finally:
        if server.poll() is None:
            server.kill()
            server.wait()


def check_work(image):
    """Sends a report and makes a publication."""
    made = image.run("app", "create", "Check", "--data", "/var/lib/ringfence")
    assert made.returncode == 0, made.stderr
    report = {"number": "+33199000248", "category": "fraud", "reporter": "a", "report_id": str(uuid.uuid4()),
              "reported_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    request = urllib.request.Request(
        "http://127.0.0.1:8080/v1/reports", json.dumps(report).encode(),
        {"Authorization": f"Bearer {made.stdout.split()[-1]}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 201
    published = image.run("publish", "--data", "/var/lib/ringfence")
    # 4: a gate refuses the empty list.
    assert published.returncode in (0, 4), published.stderr
    say(f"a report is taken; publish ends with {published.returncode}: "
        f"{(published.stdout or published.stderr).strip().splitlines()[-1][:100]}")


BEGIN = time.monotonic()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path,
                        help="built with --static-swift-stdlib; without it the first stage builds one")
    parser.add_argument("--base", type=Path, help="where the bare root is kept from one run to the next")
    parser.add_argument("--packages", type=Path,
                        help="a mirror of github.com, as OWNER/NAME, that the first stage's packages are cloned from")
    parser.add_argument("--keep", action="store_true", help="leave the root behind")
    options = parser.parse_args()
    bare_root.need_root()
    if options.binary and not options.binary.is_file():
        raise SystemExit(f"{options.binary} is not there. Build it with --static-swift-stdlib.")
    folder = Path(tempfile.mkdtemp(prefix="ringfence-image-"))
    folder.chmod(0o755)
    try:
        base = bare_root.make(options.base or folder / "base")
        say(f"debootstrap: {megabytes(bare_root.bytes_of(base))}")
        out = None
        if not options.binary:
            older = bare_root.make(options.base.with_name(f"{options.base.name}-{BUILD_SUITE}") if options.base
                                   else folder / "build-base", BUILD_SUITE)
            out = build_program(older, folder, options.packages)
        check_proxy(base, folder)
        root = bare_root.copy(base, folder / "root")
        with mounted(root):
            settings = build_image(root, out, options.binary and options.binary.resolve())
            check_libraries(root)
            check_mail(root)
        added = bare_root.bytes_of(root) - bare_root.bytes_of(base)
        say(f"the second stage adds {megabytes(added)} to the base")
        database = Database(folder / "postgresql")
        try:
            check_server(root, settings, folder, database)
        finally:
            database.stop()
    finally:
        if options.keep:
            print(folder)
        else:
            # Mounts below end with this process's namespace; the deletion must not follow them.
            subprocess.run(["umount", "--recursive", "--lazy", folder / "root"], stderr=subprocess.DEVNULL)
            subprocess.run(["rm", "--recursive", "--force", "--one-file-system", folder], check=False)
    say("all is well")


if __name__ == "__main__":
    main()
