"""Kamailio with the lines of Documentation/clients.md, and calls that sipp makes."""

import re
import shutil
import socket
import subprocess
from pathlib import Path

from waiting import wait_until

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = (CHECKOUT / "Documentation/clients.md").read_text()
PLAIN, LOOKUP = [block for block in re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL) if "http_client_query" in block]
# The lookup of verified calls takes the place of the plain one.
VERIFIED = re.sub(r"^http_client_query.*\n", lambda _: LOOKUP, PLAIN, flags=re.MULTILINE)
WORKERS = 8
# Not in the path of ordinary users.
KAMAILIO = shutil.which("kamailio") or "/usr/sbin/kamailio"

CONFIG = """#!KAMAILIO
debug=2
log_stderror=yes
fork=yes
children={workers}
listen=udp:127.0.0.1:{port}
loadmodule "sl.so"
loadmodule "pv.so"
loadmodule "textops.so"
loadmodule "siputils.so"
loadmodule "xlog.so"
loadmodule "http_client.so"
{parameters}
request_route {{
  if (is_method("ACK")) exit;
  if (!is_method("INVITE")) {{ sl_send_reply("405", "Method Not Allowed"); exit; }}
{lines}
  xlog("L_ERR", "let through $fU $var(verdict)\\n");
  sl_send_reply("480", "Temporarily Unavailable");
  exit;
}}
"""

SCENARIO = """<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="caller">
<send retrans="2000"><![CDATA[
INVITE sip:called@[remote_ip]:[remote_port] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:[field0]@[local_ip]>;tag=[pid]T[call_number]
To: <sip:called@[remote_ip]>
Call-ID: [call_id]
CSeq: 1 INVITE
Contact: <sip:caller@[local_ip]:[local_port]>
P-Asserted-Identity: <[asserted]>
Max-Forwards: 70
Content-Length: 0

]]></send>
<recv response="100" optional="true"/>
<recv response="480" optional="true" next="1"/>
<recv response="603"><action>
<ereg regexp="Reason: .*" search_in="msg" check_it="true" assign_to="reason"/>
<log message="blocked [field0] [$reason]"/></action></recv>
<label id="1"/>
<send><![CDATA[
ACK sip:called@[remote_ip]:[remote_port] SIP/2.0
[last_Via:]
From: <sip:[field0]@[local_ip]>;tag=[pid]T[call_number]
[last_To:]
Call-ID: [call_id]
CSeq: 1 ACK
Max-Forwards: 70
Content-Length: 0

]]></send>
</scenario>
"""


def free_port(kind=socket.SOCK_DGRAM):
    with socket.socket(socket.AF_INET, kind) as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


class Kamailio:
    """Runs with the printed lines: the server's address, the key and the ports are put in, and a line for the log."""

    def __init__(self, folder, server, key, block):
        self.folder, self.port, self.output = folder, free_port(), folder / "kamailio.log"
        lines = block.replace("https://ringfence.example/v1", f"{server}/v1").replace("KEY", key).splitlines()
        # Each blocked call has its line, too.
        route = "\n".join(line for line in lines if not line.startswith("modparam"))
        route = route.replace('  sl_send_reply("603"', '  xlog("L_ERR", "blocked $fU\\n");\n  sl_send_reply("603"')
        config = CONFIG.format(
            workers=WORKERS, port=self.port, parameters="\n".join(line for line in lines if line.startswith("modparam")), lines=route)
        (folder / "kamailio.cfg").write_text(config)
        (folder / "scenario.xml").write_text(SCENARIO)

    def __enter__(self):
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [KAMAILIO, "-f", self.folder / "kamailio.cfg", "-DD", "-E", "-Y", self.folder, "-w", self.folder],
                stdout=output, stderr=output)
        wait_until(lambda: self.process.poll() is not None or self.listens(), 20, lambda: self.output.read_text()[-2_000:])
        assert self.process.poll() is None, self.output.read_text()[-2_000:]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            # Its processes may wait for a server that was killed; what the test asserts is known by now.
            subprocess.run(["pkill", "-KILL", "--full", str(self.folder / "kamailio.cfg")])
            self.process.wait(20)

    def listens(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.bind(("127.0.0.1", 0))
            asking.settimeout(0.2)
            asking.sendto(
                b"OPTIONS sip:x@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:%d;branch=z9hG4bK1\r\nFrom: <sip:x@y>;tag=1\r\n"
                b"To: <sip:x@y>\r\nCall-ID: 1\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n" % asking.getsockname()[1],
                ("127.0.0.1", self.port))
            try:
                return b"405" in asking.recv(2_000)
            except OSError:
                return False

    def calls(self, callers, count, rate, asserted="sip:+12015550199@127.0.0.1"):
        """Starts calls from numbers in turn. The asserted address may have the result of a verification."""
        (self.folder / "callers.csv").write_text("SEQUENTIAL\n" + "".join(f"+{number};\n" for number in callers))
        return subprocess.Popen(
            ["sipp", f"127.0.0.1:{self.port}", "-sf", "scenario.xml", "-inf", "callers.csv", "-key", "asserted", asserted,
             "-m", str(count), "-r", str(rate), "-i", "127.0.0.1", "-p", str(free_port()),
             "-trace_logs", "-log_file", "blocked.log", "-nostdin", "-timeout", "180"],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def said(self, word):
        """The callers whose calls were blocked or let through, in the log."""
        return re.findall(rf"{word} (\+?\d+)", self.output.read_text())
