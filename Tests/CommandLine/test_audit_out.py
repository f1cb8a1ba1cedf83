"""The audit log in a file and in syslog: no event is lost by kills, renames and receivers that fail."""

import json
import re
import signal
import socket
import struct
import subprocess
import threading

import pytest

from waiting import wait_until


class Receiver:
    """A syslog server on a port; it can be stopped and started again, and can reset connections half-way."""

    def __init__(self, kind):
        self.kind, self.port, self.messages, self.resets = kind, 0, [], 0
        self.start()

    def start(self):
        self.socket = socket.socket(socket.AF_INET, self.kind)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", self.port))
        self.port = self.socket.getsockname()[1]
        self.stopped = False
        if self.kind == socket.SOCK_STREAM:
            self.socket.listen()
        self.socket.settimeout(0.05)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def stop(self):
        self.stopped = True
        self.thread.join()
        self.socket.close()

    def serve(self):
        while not self.stopped:
            try:
                if self.kind == socket.SOCK_DGRAM:
                    self.messages.append(self.socket.recv(65_535))
                else:
                    self.read(self.socket.accept()[0])
            except TimeoutError:
                pass

    def read(self, connection):
        connection.settimeout(10)
        if self.resets:
            # Half of the bytes have arrived when the receiver dies.
            self.resets -= 1
            connection.recv(10)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return connection.close()
        data = b""
        while chunk := connection.recv(65_536):
            data += chunk
        connection.close()
        while data:
            length, _, data = data.partition(b" ")
            self.messages.append(data[:int(length)])
            data = data[int(length):]

    def events(self):
        """The events of all messages, each of which is RFC 5424."""
        found = []
        for message in list(self.messages):
            match = re.fullmatch(
                rb"<110>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S{1,255} ringfence \d+ ([a-z_.]{1,32}) - (\{.*\})", message)
            event = json.loads(match[2])
            assert match[1].decode() == event["action"][:32]
            found.append(event)
        return found


@pytest.fixture(scope="module")
def server(make_server, tmp_path_factory):
    file = tmp_path_factory.mktemp("audit") / "audit.jsonl"
    server = make_server(RINGFENCE_AUDIT_OUT=str(file))
    server.file = file
    return server


def act(server, numbers):
    """An event for each number; while the server is down, by a command alone."""
    for number in numbers:
        server.run("protect", "add", f"+33199000{number}", "--reason", "A bank", "--by-program", "Ada")
    return {f"+33199000{number}" for number in numbers}


def restart(server, target=None):
    if server.process.poll() is None:
        server.signal(signal.SIGTERM)
        server.ended()
    if target:
        server.variables["RINGFENCE_AUDIT_OUT"] = target
    server.start()


def lines(*files):
    return [json.loads(line) for file in files if file.exists() for line in file.read_text().splitlines() if line]


def subjects(events):
    return {event["subject"] for event in events}


def test_a_file_has_every_event_after_kills_and_renames(server):
    made = act(server, [300, 301])
    wait_until(lambda: subjects(lines(server.file)) >= made, 30, "two events in the file")
    old = server.file.rename(server.file.with_suffix(".1"))
    made |= act(server, [302])
    wait_until(lambda: subjects(lines(server.file)) == {"+33199000302"}, 30, "a new file")
    # The server is killed, and its write of a line was cut.
    server.signal(signal.SIGKILL)
    server.ended()
    with server.file.open("a") as file:
        file.write('{"action":"protec')
    made |= act(server, [303, 304])
    restart(server)
    made |= act(server, [305])
    wait_until(lambda: "+33199000305" in server.file.read_text(), 30, "events of the time without a server")
    server.file.write_text(server.file.read_text().replace('{"action":"protec\n', ""))
    events = lines(old, server.file)
    assert subjects(events) >= made
    stored = {row[0] for row in server.query("SELECT event_id FROM audit_events WHERE action = 'protection.add'")}
    assert {event["id"] for event in events} >= stored
    event = next(event for event in events if event["subject"] == "+33199000305")
    assert (event["actor"], event["role"], event["via"], event["reason"], event["after"]) == (
        "Ada", "system", "command line", "A bank", {"what": "+33199000305"})
    wait_until(lambda: server.query("SELECT count(*) FROM audit_outbox") == [["0"]], 30, "an empty outbox")


def test_syslog_has_every_event_after_a_receiver_that_dies(server):
    receiver = Receiver(socket.SOCK_STREAM)
    restart(server, f"tcp://127.0.0.1:{receiver.port}")
    made = act(server, [310])
    wait_until(lambda: subjects(receiver.events()) >= made, 30, "an event by TCP")
    receiver.stop()
    made |= act(server, [311, 312])
    receiver.resets = 1
    receiver.start()
    wait_until(lambda: subjects(receiver.events()) >= made, 90, "the events of the time without a receiver")
    receiver.stop()
    made |= act(server, [313])
    server.signal(signal.SIGKILL)
    server.ended()
    receiver.start()
    restart(server)
    wait_until(lambda: subjects(receiver.events()) >= made, 30, "the event before the kill")
    receiver.stop()


def test_datagrams_have_one_event_each(server, tmp_path):
    receiver = Receiver(socket.SOCK_DGRAM)
    restart(server, f"udp://127.0.0.1:{receiver.port}")
    made = act(server, [320, 321])
    wait_until(lambda: subjects(receiver.events()) >= made, 30, "events by UDP")
    receiver.stop()
    path = tmp_path / "log"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.bind(str(path))
        log.settimeout(30)
        restart(server, f"unix:{path}")
        act(server, [322])
        while "+33199000322" not in (message := log.recv(65_535).decode()):
            pass
        assert message.startswith("<110>1 ")


def test_a_full_disk_leaves_whole_lines_and_repeats_none(server, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(disk)], capture_output=True).returncode != 0:
        pytest.skip("It mounts a small disk, which needs root.")
    try:
        (disk / "other").write_bytes(bytes(4_096))
        file = disk / "audit.jsonl"
        restart(server, str(file))
        made = {f"+33199000{number}" for number in range(340, 352)}
        for number in sorted(made):
            server.run("protect", "add", number, "--reason", "A bank " + "x" * 190, "--by-program", "Ada")
        # How many events a batch has depends on the machine, but all together do not fit.
        wait_until(lambda: f"Cannot write {file}" in server.log.read_text(), 90, "a full disk")
        assert all(line.endswith("}") for line in file.read_text().splitlines())
        (disk / "other").unlink()
        wait_until(lambda: server.query("SELECT count(*) FROM audit_outbox") == [["0"]], 90, "an empty outbox")
        events = lines(file)
        assert subjects(events) >= made
        assert len({event["id"] for event in events}) == len(events)
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_without_the_setting_nothing_waits(server):
    server.variables.pop("RINGFENCE_AUDIT_OUT")
    restart(server)
    act(server, [330])
    assert server.query("SELECT count(*) FROM audit_outbox") == [["0"]]
    for target in "audit.jsonl", "udp://host", "tcp://host:0", "http://host:1", "unix:log":
        server.variables["RINGFENCE_AUDIT_OUT"] = target
        with pytest.raises(AssertionError, match="RINGFENCE_AUDIT_OUT"):
            restart(server)
    server.variables.pop("RINGFENCE_AUDIT_OUT")
