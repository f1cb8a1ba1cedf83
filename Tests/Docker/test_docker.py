"""Checks of the containers without an engine; Scripts/check-image.py does the rest, with root."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parents[2]
DOCKER = CHECKOUT / "Docker"
COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
NGINX = (DOCKER / "nginx.conf").read_text()
IMAGE_USER = {"ringfence": "65532:65532"}


def instructions():
    sys.path.insert(0, str(CHECKOUT / "Scripts"))
    spec = importlib.util.spec_from_file_location("check_image", CHECKOUT / "Scripts/check-image.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.stages((DOCKER / "Dockerfile").read_text())


def test_hadolint_finds_nothing():
    hadolint = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([hadolint, DOCKER / "Dockerfile"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_image_runs_as_nobody_and_needs_no_shell():
    build, final = instructions()
    settings = dict(final)
    assert settings["USER"] == "65532:65532"
    assert settings["ENTRYPOINT"].startswith("[") and settings["CMD"].startswith("[")
    assert 'CMD ["/usr/bin/ringfence", "healthcheck"' in settings["HEALTHCHECK"]
    copied = dict(build)["COPY"]
    assert copied == ". ."
    # No secret enters the build or remains in it.
    ignored = (DOCKER / "Dockerfile.dockerignore").read_text().split()
    assert {".git", ".ringfence", "Docker", "**/*.key"} <= set(ignored)


def test_image_has_the_program_that_sends_mail():
    assert '"curl", "--disable"' in (CHECKOUT / "Sources/Jobs/Mail/Mailer.swift").read_text()
    [installed] = [rest for name, rest in instructions()[1] if name == "RUN"]
    assert "curl" in installed.split()


def test_image_holds_every_folder_that_the_program_looks_for():
    build, _ = instructions()
    [folders] = re.findall(r"cp -R (.*?) /out", " ".join(rest for _, rest in build))
    source = (CHECKOUT / "Sources/RingfenceCommand/Installation.swift").read_text()
    wanted = set(re.findall(r"\\\(root\)/(\w+)", source))
    assert wanted <= set(folders.split())
    assert all((CHECKOUT / folder).exists() for folder in folders.split())


def test_what_is_built_with_is_what_the_machine_builds_with():
    build, _ = instructions()
    packages = set(re.findall(r"lib[\w-]+-dev|zlib1g-dev|pkg-config", " ".join(rest for _, rest in build)))
    ours = (CHECKOUT / "Scripts/install-dependencies").read_text()
    wanted = set(re.findall(r"wanted=\((.*?)\)", ours)[0].split()) - {"postgresql"}
    assert packages == wanted


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_hardened(name):
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    user, _, group = service["user"].partition(":")
    assert int(user) > 0 and int(group) > 0
    assert "privileged" not in service and "network_mode" not in service and "cap_add" not in service
    assert service["restart"] == "unless-stopped"


def test_references_hold():
    for service in SERVICES.values():
        assert set(service.get("secrets", [])) <= COMPOSE["secrets"].keys()
        assert set(service["networks"]) <= COMPOSE["networks"].keys()
        assert set(service.get("depends_on", {})) <= SERVICES.keys()
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (DOCKER / source).exists() if source.startswith(".") else source in COMPOSE["volumes"]
    for dependency in SERVICES["proxy"]["depends_on"]:
        # The image has its own health check.
        assert "healthcheck" in SERVICES[dependency] or "HEALTHCHECK" in (DOCKER / "Dockerfile").read_text()
    build = SERVICES["ringfence"]["build"]
    assert (DOCKER / build["context"] / build["dockerfile"]).exists()


def test_only_the_proxy_is_reached_and_the_database_has_no_way_out():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert COMPOSE["networks"]["inside"]["internal"] is True
    assert SERVICES["postgres"]["networks"] == ["inside"]
    assert "inside" not in SERVICES["proxy"]["networks"]


def test_secrets_are_files_and_readable_by_the_one_who_needs_them():
    for service in SERVICES.values():
        for key, value in service.get("environment", {}).items():
            if any(word in key for word in ("PASSWORD", "KEY", "URL", "SECRET")):
                assert key.endswith("_FILE") and str(value).startswith("/run/secrets/"), key
                assert str(value).removeprefix("/run/secrets/") in service["secrets"]
    readme = (DOCKER / "README.md").read_text()
    for name, service in SERVICES.items():
        user = service["user"].split(":")[0]
        for secret in service.get("secrets", []):
            file = COMPOSE["secrets"][secret]["file"].removeprefix("./")
            assert re.search(rf"chown {user} .*{re.escape(file)}", readme), f"{file} belongs to {user}"
    assert "/Docker/secrets/" in (CHECKOUT / ".gitignore").read_text().split()


def test_the_proxy_has_the_servers_caps_and_tells_one_address():
    batch = re.search(r"batchLimit = (.*)", (CHECKOUT / "Sources/HTTPServer/Limits/BodyReader.swift").read_text())[1]
    assert batch == "1 << 20" and "client_max_body_size 1m;" in NGINX
    file = re.search(r"fileLimit = (.*)", (CHECKOUT / "Sources/HTTPServer/Limits/BodyReader.swift").read_text())[1]
    assert file == "16 << 20" and re.search(r"location = /v1/moderation/bulks \{\s+client_max_body_size 16m;", NGINX)
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in NGINX
    assert "--trust-proxy" in SERVICES["ringfence"]["command"]
    assert re.search(r"location = /metrics \{\s+return 404;", NGINX)
    assert "ssl_protocols TLSv1.2 TLSv1.3;" in NGINX
    plain = NGINX[NGINX.index("listen 8080;"):NGINX.index("listen 8443")]
    refused = re.search(r"location ~ (\S+) \{\s+return 403;", plain)[1]
    for path in ("/v1/reports", "/carddav", "/carddav/books/block/", "/phoneblock/api/blocklist"):
        assert re.search(refused, path), f"{path} has a key in readable form"
    for path in ("/", "/moderation", "/.well-known/carddav", "/v10"):
        assert not re.search(refused, path), path
    ports = {mapping.split(":")[1] for mapping in SERVICES["proxy"]["ports"]}
    assert ports == set(re.findall(r"listen (\d+)", NGINX))
    for name in ("tls_certificate", "tls_key"):
        assert f"/run/secrets/{name};" in NGINX and name in SERVICES["proxy"]["secrets"]


def test_debian_nginx_takes_the_configuration(tmp_path):
    nginx, openssl = shutil.which("nginx", path="/usr/sbin:/usr/bin"), shutil.which("openssl")
    if not nginx or not openssl:
        pytest.skip("SKIPPED: nginx or openssl is not installed; Scripts/check-image.py tests the proxy too")
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=x", "-keyout",
         tmp_path / "tls_key", "-out", tmp_path / "tls_certificate"], check=True, capture_output=True)
    text = NGINX.replace("/run/secrets", str(tmp_path)).replace("/tmp/", f"{tmp_path}/")
    (tmp_path / "nginx.conf").write_text(text.replace("ringfence:8080", "127.0.0.1:8080"))
    done = subprocess.run([nginx, "-t", "-c", tmp_path / "nginx.conf"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
