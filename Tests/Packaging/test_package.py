"""The Debian package: what is in it, what its units permit, and that its settings are known.

Scripts/check-package.py installs, upgrades and purges a package in a minimal Debian root.
"""

import os
import re
import shutil
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
    for library in ("libcurl4", "libpq5", "libsqlite3-0", "libqrencode4", "zlib1g"):
        assert library in fields
    # Debian 12 has one name, Debian 13 the other.
    assert re.search(r"libcurl4t64 (\(.*?\)) \| libcurl4 \1", fields)
    conffiles = subprocess.run(
        ["dpkg-deb", "--ctrl-tarfile", found], capture_output=True, check=True).stdout
    listed = subprocess.run(["tar", "--extract", "--to-stdout", "./conffiles"], input=conffiles, capture_output=True).stdout
    assert b"/etc/ringfence/ringfence.yaml" in listed



def test_debian_nginx_takes_the_site(package, tmp_path):
    nginx, openssl = shutil.which("nginx", path="/usr/sbin:/usr/bin"), shutil.which("openssl")
    site = (package[1] / "usr/share/doc/ringfence/examples/nginx-site").read_text()
    assert "listen 443 ssl;" in site and "listen [::]:80;" in site and "server 127.0.0.1:8080;" in site
    subprocess.run([openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=x", "-keyout",
                    tmp_path / "ringfence.key", "-out", tmp_path / "ringfence.pem"], check=True, capture_output=True)
    (tmp_path / "site").write_text(site.replace("/etc/ssl/certs", str(tmp_path)).replace("/etc/ssl/private", str(tmp_path)))
    # Debian's own file, which includes the sites.
    usual = Path("/etc/nginx/nginx.conf").read_text().replace("/run/nginx.pid", f"{tmp_path}/pid").replace("/var/log/nginx", str(tmp_path))
    (tmp_path / "nginx.conf").write_text(usual.replace("/etc/nginx/sites-enabled/*", f"{tmp_path}/site"))
    done = subprocess.run([nginx, "-t", "-c", tmp_path / "nginx.conf"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("unit", ["ringfence.service", "ringfence-publish.service", "ringfence-backup.service"])
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
    assert "stop ringfence-publish.timer ringfence-backup.timer" in scripts["prerm"]
    assert "ExecStart=/usr/bin/ringfence backup " in (units / "ringfence-backup.service").read_text()
    for unit in ("ringfence", "ringfence-publish", "ringfence-backup"):
        assert "OnFailure=ringfence-failed@%n.service\n" in (units / f"{unit}.service").read_text()
    assert (units / "ringfence-failed@.service").exists()


def test_published_files_can_be_read_by_everybody(package):
    """A web server of another account serves them, if they lie outside of the data folder."""
    for unit in ("ringfence.service", "ringfence-publish.service"):
        assert "UMask=0022\n" in (package[1] / "lib/systemd/system" / unit).read_text()


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


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("suite", ["bookworm", "trixie"])
def test_the_package_in_a_root(suite):
    """The newest package of `make deb`, with systemd where it can boot."""
    found = sorted((CHECKOUT / ".build/dist").glob("ringfence_*.deb"), key=lambda file: file.stat().st_mtime)
    if os.geteuid() != 0 or not shutil.which("debootstrap") or not found:
        pytest.skip("it needs root, debootstrap and the package of make deb")
    done = subprocess.run([CHECKOUT / "Scripts/check-package.py", "--package", found[-1], "--suite", suite], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout)
    assert done.returncode == 0 and "nothing is left" in done.stdout
