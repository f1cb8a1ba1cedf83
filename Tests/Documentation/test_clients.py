"""The examples for telephone systems in Documentation/clients.md keep the key out of logs and wait for the server's answer."""

import re
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = (CHECKOUT / "Documentation/clients.md").read_text()
BLOCKS = re.findall(r"```(?:text|xml)\n(.*?)```", PAGE, re.DOTALL)


def test_kamailio_sends_the_key_in_a_header_field():
    """Kamailio logs addresses. Its module has the arguments in this order: address, body, header fields, result."""
    call = re.search(r"^http_client_query\((.*)\);$", PAGE, re.MULTILINE)[1]
    address, body, fields, result = re.findall(r'"([^"]*)"', call)
    assert "KEY" not in address and body == ""
    assert fields == "Authorization: Bearer KEY" and result == "$var(verdict)"


def test_no_example_has_the_key_in_a_query():
    assert BLOCKS and not [block for block in BLOCKS if "key=KEY" in block]


def test_the_time_limits_are_above_the_servers():
    controller = (CHECKOUT / "Sources/API/TelephoneSystems/TelephoneSystemsController.swift").read_text()
    server = int(re.search(r"let deadline = Duration\.seconds\((\d+)\)", controller)[1])
    limits = re.findall(r'"connection_timeout", (\d+)|httptimeout\)=(\d+)|"curl-timeout" value="(\d+)000"', PAGE)
    assert len(limits) == 3 and all(int("".join(limit)) > server for limit in limits), limits
    assert f"above the server's {server}" in PAGE
