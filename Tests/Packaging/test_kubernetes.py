"""The manifests for Kubernetes: their schemas, the rights of their pods, and their commands with the real program."""

import re
import subprocess
import urllib.request

import kubernetes_validate
import pytest
import yaml

from ringfence_server import BINARY, CHECKOUT, START_SECONDS, environment
from waiting import wait_until

FOLDER = CHECKOUT / "Packaging/kubernetes"
DOCUMENTS = [document for file in sorted(FOLDER.glob("*.yaml")) for document in yaml.safe_load_all(file.read_text())]
BY_KIND = {document["kind"]: document for document in DOCUMENTS}
SETTINGS = BY_KIND["ConfigMap"]["data"]["ringfence.yaml"]
SERVER = BY_KIND["Deployment"]["spec"]["template"]
PUBLICATION = BY_KIND["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]
PODS = [pytest.param(SERVER["spec"], id="server"), pytest.param(PUBLICATION["spec"], id="publication")]
PAGE = (CHECKOUT / "Documentation/kubernetes.md").read_text()


@pytest.mark.parametrize("version", ["1.31", kubernetes_validate.latest_version()])
@pytest.mark.parametrize("document", [pytest.param(document, id=document["kind"]) for document in DOCUMENTS])
def test_kubernetes_accepts_each_manifest(document, version):
    kubernetes_validate.validate(document, version, strict=True)


def test_a_wrong_field_is_refused():
    wrong = yaml.safe_load(yaml.safe_dump(BY_KIND["Deployment"]))
    wrong["spec"]["template"]["spec"]["containers"][0]["readyProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, "1.31", strict=True)


@pytest.mark.parametrize("pod", PODS)
def test_pods_have_no_rights(pod):
    assert pod["automountServiceAccountToken"] is False
    rights = pod["securityContext"]
    assert rights["runAsNonRoot"] and rights["runAsUser"] == rights["runAsGroup"] == rights["fsGroup"] == 65532
    assert "USER 65532:65532\n" in (CHECKOUT / "Docker/Dockerfile").read_text()
    for container in pod["initContainers"] + pod["containers"]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
        assert container["image"] == "registry.example/ringfence:0.2.0" and container["image"] in PAGE
        assert {mount["name"] for mount in container["volumeMounts"]} <= {volume["name"] for volume in pod["volumes"]}


def test_names_lead_to_each_other():
    labels = SERVER["metadata"]["labels"]
    selectors = [BY_KIND["Service"]["spec"]["selector"]] + [
        BY_KIND[kind]["spec"]["selector"]["matchLabels"] for kind in ("Deployment", "PodDisruptionBudget")]
    assert all(selector == labels for selector in selectors) and PUBLICATION["metadata"]["labels"] != labels
    for pod in (SERVER["spec"], PUBLICATION["spec"]):
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        assert volumes["settings"]["configMap"]["name"] == BY_KIND["ConfigMap"]["metadata"]["name"]
        claims = {volume["persistentVolumeClaim"]["claimName"] for volume in pod["volumes"] if "persistentVolumeClaim" in volume}
        assert claims <= {each["metadata"]["name"] for each in DOCUMENTS if each["kind"] == "PersistentVolumeClaim"}
        assert f"create secret generic --from-file=secrets {volumes['secrets']['secret']['secretName']}\n" in PAGE
    [server] = SERVER["spec"]["containers"]
    [journal] = [mount["mountPath"] for mount in server["volumeMounts"] if mount["name"] == "journal"]
    assert yaml.safe_load(SETTINGS)["erasure-journal"].startswith(f"{journal}/")
    [port] = server["ports"]
    assert BY_KIND["Service"]["spec"]["ports"][0]["targetPort"] == port["name"]


def test_secrets_of_the_settings_are_those_that_the_page_makes():
    used = set(re.findall(r"/run/secrets/ringfence/(\w+)", SETTINGS))
    assert used == set(re.findall(r"> secrets/(\w+)", PAGE))
    known = set(re.findall(r"^\| `([a-z-]+)` \|", (CHECKOUT / "Documentation/configuration.md").read_text(), re.MULTILINE))
    assert set(yaml.safe_load(SETTINGS)) <= known


def test_readiness_fails_before_the_server_stops():
    probe = SERVER["spec"]["containers"][0]["readinessProbe"]
    drain = yaml.safe_load(SETTINGS)["drain"]
    assert probe["periodSeconds"] * probe["failureThreshold"] + probe["timeoutSeconds"] < drain
    assert drain < SERVER["spec"]["terminationGracePeriodSeconds"]


def test_the_commands_serve_and_publish(make_server, tmp_path):
    """Runs the commands of the pods on the database of another server, with the paths below a temporary folder."""
    other = make_server()

    def placed(text):
        return re.sub(r"(?<=[ =:])/(?=data|journal|publications|etc|run)", f"{tmp_path}/", text)

    for folder in ("data", "journal", "publications", "etc/ringfence", "run/secrets/ringfence"):
        (tmp_path / folder).mkdir(parents=True)
    secrets = {name: (other.data / name.replace("_", ".")).read_text() for name in (
        "pseudonym_key", "account_key", "signing_key", "webhook_secret", "metrics_token")}
    for name, secret in (secrets | {"database_url": other.dsn}).items():
        (tmp_path / "run/secrets/ringfence" / name).write_text(secret)
    (tmp_path / "etc/ringfence/ringfence.yaml").write_text(placed(SETTINGS))
    [first], [server] = SERVER["spec"]["initContainers"], SERVER["spec"]["containers"]
    [publication] = PUBLICATION["spec"]["containers"]
    for _ in range(2):
        subprocess.run([placed(f" {part}")[1:] for part in first["command"]], check=True)

    output = tmp_path / "output"
    with output.open("w") as said:
        process = subprocess.Popen(
            [BINARY, *map(placed, server["args"])], stdout=said, stderr=subprocess.STDOUT,
            env=environment() | {"RINGFENCE_PORT": "0", "RINGFENCE_HOST": "127.0.0.1", "RINGFENCE_DRAIN": "0"})
    try:
        def address():
            assert process.poll() is None, output.read_text()
            return re.search(r"^Listening on (\S+)\n", output.read_text(), re.MULTILINE)

        address = wait_until(address, START_SECONDS, "the server to listen")[1]
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            with urllib.request.urlopen(address + server[probe]["httpGet"]["path"]) as answer:
                assert answer.status == 200
        done = subprocess.run(
            [BINARY, *map(placed, publication["args"])], capture_output=True, text=True, env=environment(), timeout=START_SECONDS)
        assert done.returncode == 0, done.stderr
        with urllib.request.urlopen(f"{address}/v1/manifest.json") as answer:
            assert answer.read() == (tmp_path / "publications/manifest.json").read_bytes()
    finally:
        process.terminate()
        process.wait(timeout=START_SECONDS)
