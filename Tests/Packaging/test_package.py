"""The Debian package: what is in it, what its units permit, and that its settings are known.

Scripts/check-package.py installs, upgrades and purges a package in a minimal Debian root.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parents[2]
DEBIAN = CHECKOUT / "Packaging/debian"
PROGRAM = os.environ.get("RINGFENCE_BINARY", str(CHECKOUT / ".build/debug/ringfence"))
# Of systemd-analyze, in tenths: 0 for a service that may do nothing, 100 for one without limits.
MOST_EXPOSED = 25


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    out = tmp_path_factory.mktemp("package")
    done = subprocess.run(
        [CHECKOUT / "Scripts/make-package", PROGRAM, out], capture_output=True, text=True,
        env={**os.environ, "DEB_BUILD_OPTIONS": "nostrip noautodbgsym", "COMPRESSION": "-Zgzip -z1",
             "MAINTAINER": "Ada & Bo <ada@packages.example>", "REPOSITORY": "https://git.example/ringfence"})
    assert done.returncode == 0, done.stdout + done.stderr
    [found] = out.glob("ringfence_*.deb")
    root = out / "root"
    subprocess.run(["dpkg-deb", "--extract", found, root], check=True)
    return found, root


def test_package_has_the_program_and_its_files(package):
    found, root = package
    assert (root / "usr/bin/ringfence").stat().st_mode & 0o777 == 0o755
    for folder in ("Migrations", "Public", "Resources"):
        ours = sorted(path.relative_to(CHECKOUT) for path in (CHECKOUT / folder).rglob("*") if path.is_file())
        assert ours and all((root / "usr/share/ringfence" / path).is_file() for path in ours)
    for script in (CHECKOUT / "Packaging/examples").iterdir():
        installed = root / "usr/share/doc/ringfence/examples" / script.name
        assert installed.read_bytes() == script.read_bytes() and installed.stat().st_mode & 0o777 == 0o755
    # The doctor and the manual refer to these documents. Links between them work.
    for document in (*(CHECKOUT / "Documentation").glob("*.md"), CHECKOUT / "Packaging/README.md"):
        installed = root / "usr/share/doc/ringfence" / document.relative_to(CHECKOUT)
        assert installed.read_bytes() == document.read_bytes()
    fields = subprocess.run(["dpkg-deb", "--field", found], capture_output=True, text=True, check=True).stdout
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    assert f"Version: {version.replace('-', '~')}\n" in fields
    recommended = re.search("^Recommends: (.*)", fields, re.MULTILINE)[1].split(", ")
    assert {"curl", "postgresql"} <= set(recommended)
    assert "Maintainer: Ada & Bo <ada@packages.example>\n" in fields and "Homepage: https://git.example/ringfence\n" in fields
    # The libraries that the program loads are those that the package needs.
    for library in ("libcurl4", "libpq5", "libsqlite3-0", "zlib1g"):
        assert library in fields
    conffiles = subprocess.run(
        ["dpkg-deb", "--ctrl-tarfile", found], capture_output=True, check=True).stdout
    listed = subprocess.run(["tar", "--extract", "--to-stdout", "./conffiles"], input=conffiles, capture_output=True).stdout
    assert b"/etc/ringfence/ringfence.yaml" in listed


@pytest.mark.parametrize("unit", ["ringfence.service", "ringfence-publish.service"])
def test_units_leave_few_rights(package, unit):
    _, root = package
    path = root / "lib/systemd/system" / unit
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSED}", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-400:] + done.stderr


def test_the_service_may_write_the_audit_log_where_the_documents_put_it(package):
    _, root = package
    unit = (root / "lib/systemd/system/ringfence.service").read_text()
    [path] = re.findall(r"`(/\S+/audit\.jsonl)`", (CHECKOUT / "Documentation/operations.md").read_text())
    assert "ProtectSystem=strict\n" in unit and "LogsDirectory=ringfence\n" in unit
    assert str(Path(path).parent) == "/var/log/ringfence"


@pytest.mark.parametrize("name, value", [
    ("MAINTAINER", "Ada"), ("MAINTAINER", "Ada <ada@localhost>"), ("MAINTAINER", "Ada <ada@packages.example>\nUploaders: Bo"),
    ("REPOSITORY", "git.example")])
def test_a_wrong_contact_is_refused_before_anything_is_built(name, value, tmp_path):
    done = subprocess.run([CHECKOUT / "Scripts/make-package", PROGRAM, tmp_path / "out"], capture_output=True, text=True,
                          env={**os.environ, name: value})
    assert done.returncode == 1 and done.stderr.startswith(f'{name} is "{value}".') and not (tmp_path / "out").exists()


def test_timer_starts_the_publication(package):
    _, root = package
    units = root / "lib/systemd/system"
    assert "OnCalendar=" in (units / "ringfence-publish.timer").read_text()
    assert "ExecStart=/usr/bin/ringfence publish " in (units / "ringfence-publish.service").read_text()
    # Neither is started by the installation: publish-at of the server is usual.
    script = subprocess.run(["dpkg-deb", "--info", package[0], "postinst"], capture_output=True, text=True).stdout
    assert "if deb-systemd-helper debian-installed 'ringfence-publish.timer'" in script
    assert "$_dh_action 'ringfence-publish.timer'" not in script
    assert "ringfence.service" in script
    # An upgrade leaves a running timer alone, and a removal stops it.
    scripts = {name: subprocess.run(["dpkg-deb", "--info", package[0], name], capture_output=True, text=True).stdout
               for name in ("preinst", "prerm")}
    assert "ringfence-publish.timer" not in scripts["preinst"]
    assert "stop ringfence-publish.timer" in scripts["prerm"]


def test_the_private_postgresql_can_be_started_within_the_limits(package):
    """setpriv, which ends PostgreSQL with the server, sets capabilities, if only to none."""
    _, root = package
    for unit in ("ringfence.service", "ringfence-publish.service"):
        filters = re.findall("^SystemCallFilter=(.*)", (root / "lib/systemd/system" / unit).read_text(), re.MULTILINE)
        assert filters.index("capset") > filters.index("~@privileged")


def test_settings_are_known():
    text = (DEBIAN / "ringfence.yaml").read_text()
    known = set(re.findall(r"^\| `([a-z-]+)` \|", (CHECKOUT / "Documentation/configuration.md").read_text(), re.MULTILINE))
    shown = {**yaml.safe_load(text), **yaml.safe_load(re.sub(r"^#(?=[a-z-]+:)", "", text, flags=re.MULTILINE))}
    assert set(shown) <= known, set(shown) - known
