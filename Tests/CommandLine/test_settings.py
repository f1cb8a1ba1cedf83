"""Settings from the command line, the environment and a file."""

import json
import subprocess

from ringfence_server import BINARY, RingfenceServer, environment

TOKEN = "a token that no log may hold"


def run(*arguments, code=0, **variables):
    done = subprocess.run(
        [BINARY, *map(str, arguments)], capture_output=True, text=True, env=environment() | variables, timeout=300)
    assert done.returncode == code, done.stderr
    return done


def test_a_server_and_its_commands_read_one_file(tmp_path):
    token = tmp_path / "token"
    token.write_text(TOKEN + "\n")
    file = tmp_path / "settings.yaml"
    file.write_text(f"""
        data: {tmp_path / "data"}
        port: 99999
        url: https://ringfence.example/
        log-format: json
        log-requests: false
        metrics-token-file: {token}
        """)
    server = RingfenceServer(tmp_path, "--config", str(file), RINGFENCE_LOG_REQUESTS="true")
    try:
        # --port 0 on the command line has precedence over the invalid port of the file.
        server.start()
        assert "https://ringfence.example" in server.said
        assert all(json.loads(line) for line in server.log.read_text().splitlines())
        assert "Phone" not in run("app", "list", "--config", file).stdout
        link = run("sign-in-link", "Ada", RINGFENCE_PORT="0", RINGFENCE_CONFIG=str(file)).stdout
        assert link.startswith("https://ringfence.example/sign-in?token=")
        for seen in [server.log, server.output]:
            assert TOKEN not in seen.read_text()
    finally:
        server.close()


def test_a_secret_is_in_no_log_and_in_no_help(tmp_path):
    secret = {"RINGFENCE_METRICS_TOKEN": TOKEN}
    said = run("serve", "--help", **secret).stdout
    assert "--publish-at" in said and TOKEN not in said and "metrics" not in said
    # The port is read after the token, and its error ends the command.
    failed = run("serve", "--data", tmp_path / "data", "--appeal-delay", "x", code=2, **secret)
    assert "--appeal-delay is \"x\". It must be a number from 0 to 3600." in failed.stderr
    assert TOKEN not in failed.stderr
    assert not (tmp_path / "data").exists()


def test_a_wrong_value_is_named_with_its_origin(tmp_path):
    file = tmp_path / "settings.yaml"
    data = ("--data", tmp_path / "data")
    rule = "It must be a number from 0 to 65535."
    assert f'--port is "99999". {rule}' in run("serve", *data, "--port", 99999, code=2).stderr
    assert f'RINGFENCE_PORT is "abc". {rule}' in run("serve", *data, code=1, RINGFENCE_PORT="abc").stderr
    file.write_text("port: -1\n")
    assert f'port in {file} is "-1". {rule}' in run("serve", *data, "--config", file, code=1).stderr
    file.write_text("# A comment\nprot: 8443\n")
    assert f'Line 2 of {file} has the key "prot"' in run("doctor", "--config", file, code=1).stderr
    assert "cannot be read" in run("serve", *data, "--config", tmp_path / "none", code=3).stderr
    assert not (tmp_path / "data").exists()
