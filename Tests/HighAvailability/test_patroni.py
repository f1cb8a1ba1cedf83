"""Two PostgreSQL under Patroni, strictly synchronous: the leader is killed under load, and all acknowledged reports
remain."""

import csv
import io
import json
import os
import signal
import subprocess
import urllib.request

import pytest

from shared_server import SharedServer
from load import Load
from programs import Daemon, account, find, free_port, opted_in
from recount import check
from ringfence_server import RingfenceServer, environment
from waiting import wait_until

PASSWORD = "secret"


class Node:
    """Patroni and its PostgreSQL."""

    def __init__(self, folder, name, rafts, own, program, binaries):
        self.folder, self.name, self.program = folder / name, name, program
        self.folder.mkdir()
        self.port, self.api = free_port(), free_port()
        access = {"username": "postgres", "password": PASSWORD}
        configuration = {
            "scope": "ringfence", "name": name,
            "restapi": {"listen": f"127.0.0.1:{self.api}", "connect_address": f"127.0.0.1:{self.api}"},
            "raft": {
                "data_dir": str(self.folder / "raft"), "self_addr": own,
                "partner_addrs": [raft for raft in rafts if raft != own]},
            "bootstrap": {
                "dcs": {
                    "ttl": 20, "loop_wait": 2, "retry_timeout": 5, "maximum_lag_on_failover": 1048576,
                    "synchronous_mode": True, "synchronous_mode_strict": True,
                    "postgresql": {"use_pg_rewind": True, "parameters": {"max_connections": 100, "wal_log_hints": "on"}}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums"]},
            "postgresql": {
                "listen": f"127.0.0.1:{self.port}", "connect_address": f"127.0.0.1:{self.port}",
                "data_dir": str(self.folder / "data"), "bin_dir": binaries,
                "authentication": {"superuser": access, "replication": {"username": "replicator", "password": PASSWORD}},
                "pg_hba": ["host replication all 127.0.0.1/32 scram-sha-256", "host all all 127.0.0.1/32 scram-sha-256"],
                "parameters": {"unix_socket_directories": str(self.folder), "shared_buffers": "64MB"}}}
        # JSON is valid YAML.
        (self.folder / "patroni.yml").write_text(json.dumps(configuration))
        give_away(self.folder)
        self.daemon = None

    def start(self):
        python = {k: os.environ[k] for k in ["PYTHONPATH", "LD_LIBRARY_PATH"] if k in os.environ}
        self.daemon = Daemon(self.folder, self.name, [self.program, self.folder / "patroni.yml"], **python)

    def state(self, of="patroni"):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.api}/{of}", timeout=2) as answer:
                return json.load(answer)
        except (OSError, ValueError):
            return {}

    def has_ended(self):
        return self.daemon.process.poll() is not None

    def is_leader(self):
        state = self.state()
        return state.get("role") in ("master", "primary") and state.get("state") == "running"

    def kill(self):
        """Kills Patroni and all processes of its PostgreSQL at once."""
        pids = [self.daemon.process.pid]
        try:
            pids.insert(0, int((self.folder / "data/postmaster.pid").read_text().split("\n")[0]))
        except (OSError, ValueError):
            pass
        for pid in pids:
            try:
                os.killpg(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.daemon.process.wait(30)


def said(nodes):
    return "\n".join(node.daemon.log.read_text()[-6000:] for node in nodes)


def give_away(folder):
    if os.geteuid() == 0:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, account().pw_uid, account().pw_gid)


def query(dsn, sql):
    done = subprocess.run(
        ["psql", "--no-psqlrc", "--csv", "--tuples-only", "--set=ON_ERROR_STOP=1", dsn, f"--command={sql}"],
        env=environment(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return list(csv.reader(io.StringIO(done.stdout)))


@pytest.fixture
def nodes(open_folder):
    opted_in("RINGFENCE_TEST_PATRONI", "a failover under load")
    program = find("patroni", "RINGFENCE_PATRONI") or pytest.skip("patroni is not there (Debian: apt install patroni)")
    controller = find("patroni_raft_controller", "RINGFENCE_PATRONI_RAFT") or pytest.skip(
        "patroni_raft_controller is not there (Debian: apt install patroni python3-pysyncobj)")
    folder = open_folder
    binaries = os.path.dirname(os.path.realpath(find("initdb")))
    rafts = [f"127.0.0.1:{free_port()}" for _ in range(3)]
    nodes = [Node(folder, f"node{i}", rafts, rafts[i], program, binaries) for i in range(2)]
    # Three have a majority after one dies.
    witness = folder / "witness"
    witness.mkdir()
    (witness / "patroni.yml").write_text(json.dumps({"raft": {
        "data_dir": str(witness / "raft"), "self_addr": rafts[2], "partner_addrs": rafts[:2]}}))
    give_away(witness)
    python = {k: os.environ[k] for k in ["PYTHONPATH", "LD_LIBRARY_PATH"] if k in os.environ}
    daemon = Daemon(witness, "witness", [controller, witness / "patroni.yml"], **python)
    try:
        for node in nodes:
            node.start()
        wait_until(lambda: any(node.is_leader() or node.has_ended() for node in nodes), 180, lambda: said(nodes))
        assert not any(node.has_ended() for node in nodes), said(nodes)
        yield nodes
    finally:
        for node in nodes:
            node.kill()
        daemon.kill()


def wait_for_standby(nodes):
    # Uses the consensus store, because PostgreSQL also counts a standby that is still being copied.
    def is_there():
        leader = next((node for node in nodes if node.is_leader()), None)
        members = leader.state("cluster").get("members", []) if leader else []
        return any(member["role"] == "sync_standby" and member["state"] in ("running", "streaming") for member in members)
    wait_until(is_there, 180, lambda: f"a synchronous standby:\n{said(nodes)}")


def test_the_leader_dies_under_load(nodes, tmp_path, pseudonym_key):
    wait_for_standby(nodes)
    leader = next(node for node in nodes if node.is_leader())
    admin = f"host=127.0.0.1 port={leader.port} dbname=postgres user=postgres password={PASSWORD}"
    query(admin, f"CREATE ROLE ringfence LOGIN PASSWORD '{PASSWORD}'")
    query(admin, "CREATE DATABASE ringfence OWNER ringfence")
    ports = ",".join(str(node.port) for node in nodes)
    dsn = (f"host=127.0.0.1,127.0.0.1 port={ports} dbname=ringfence user=ringfence password={PASSWORD} "
           "target_session_attrs=read-write connect_timeout=3")
    server = RingfenceServer(tmp_path, "--no-limits", DATABASE_URL=dsn, RINGFENCE_PSEUDONYM_KEY=pseudonym_key)
    server.query = lambda sql: query(dsn, sql)
    server.start()
    try:
        shared = SharedServer(server)
        with Load(server) as load:
            load.goes_on(300, 120)
            for _ in range(2):
                leader = next(node for node in nodes if node.is_leader())
                other = next(node for node in nodes if node is not leader)
                leader.kill()
                wait_until(other.is_leader, 120, lambda: f"the other to lead:\n{other.daemon.log.read_text()[-2000:]}")
                # Strictly synchronous: nothing is acknowledged until two nodes run again.
                leader.start()
                wait_for_standby(nodes)
                load.goes_on(300, 180)
        check(shared, load)
        assert "recounted: no differences" in server.run("recount")
    finally:
        server.close()
