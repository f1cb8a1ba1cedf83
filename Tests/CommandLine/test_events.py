"""Events reach people by mail: through a real SMTP server with STARTTLS and a password, or a program like sendmail."""

import email
import email.policy
import os
import signal
import socket
import ssl
import subprocess
import time

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, SMTP

from ringfence_server import RingfenceServer
from waiting import wait_until

# An address of this machine that the server does not take for it, so that it asks for STARTTLS.
HOST = "127.0.0.2"
PASSWORD = 'a "pass\\word'


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificate")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=mail", "-addext", f"subjectAltName=IP:{HOST}", "-keyout", f"{folder}/key.pem", "-out",
         f"{folder}/certificate.pem"], check=True, capture_output=True)
    return folder


class Mailbox:
    """Takes all messages, or refuses as many as `refusals` says."""

    def __init__(self):
        self.envelopes, self.refused, self.refusals, self.sign_ins = [], [], 0, []

    async def handle_DATA(self, server, session, envelope):
        if self.refusals > 0:
            self.refusals -= 1
            self.refused.append(envelope)
            return "451 Try again later"
        self.envelopes.append(envelope)
        return "250 OK"

    def authenticate(self, server, session, envelope, mechanism, data):
        self.sign_ins.append((data.login.decode(), data.password.decode()))
        return AuthResult(success=data.password.decode() == PASSWORD)

    @property
    def messages(self):
        return [email.message_from_bytes(envelope.content, policy=email.policy.default) for envelope in self.envelopes]


class Server(Controller):
    """Closes its port only when it is stopped, and can be started again on the same one."""

    def __init__(self, mailbox, context, port=0):
        self.mailbox, self.context = mailbox, context
        super().__init__(mailbox, hostname=HOST, port=port or self.free_port(), ready_timeout=30)

    @staticmethod
    def free_port():
        with socket.socket() as probe:
            probe.bind((HOST, 0))
            return probe.getsockname()[1]

    def factory(self):
        return SMTP(
            self.mailbox, tls_context=self.context, require_starttls=True, auth_required=True, auth_require_tls=True,
            authenticator=self.mailbox.authenticate)


@pytest.fixture
def post(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{certificate}/certificate.pem", f"{certificate}/key.pem")
    mailbox = Mailbox()
    server = Server(mailbox, context)
    server.start()
    yield server
    if server.server is not None:
        server.stop()


@pytest.fixture
def settings(tmp_path, certificate):
    """The variables of a server that sends through the SMTP server at a port."""
    def of(port, password=PASSWORD):
        return {
            "RINGFENCE_MAIL": f"smtp://{HOST}:{port}", "RINGFENCE_MAIL_USER": "ringfence",
            "RINGFENCE_MAIL_PASSWORD": password, "RINGFENCE_MAIL_FROM": "ringfence@example.org",
            "CURL_CA_BUNDLE": f"{certificate}/certificate.pem"}
    return of


def choose(server, *events):
    """Makes an account that gets mails about events."""
    server.query(
        "INSERT INTO accounts (name, role, created_at, mail_address, mail_events) VALUES "
        f"('Grace', 'administrator', now(), 'grace@example.org', '{{{','.join(events)}}}')")


def fail_a_backup(server):
    """Records an event, by a backup to a place that is taken."""
    ended = server.run_unchecked("backup", str(server.data))
    assert ended.returncode != 0


def test_a_mail_goes_by_starttls_with_a_password_and_again_with_the_same_id(make_server, post, settings):
    post.mailbox.refusals = 1
    server = make_server(**settings(post.port))
    # Of a process that was killed while it sent, ten minutes ago.
    left = server.data / "0C9A4E1B-6D3F-4B52-8E7A-1F2D3C4B5A69.mail"
    left.write_text("To: <hedy@example.org>")
    os.utime(left, (time.time() - 600,) * 2)
    choose(server, "backup_failed")
    fail_a_backup(server)
    wait_until(lambda: post.mailbox.messages, 60, "the mail")
    message = post.mailbox.messages[0]
    refused = email.message_from_bytes(post.mailbox.refused[0].content, policy=email.policy.default)
    assert message["Message-ID"] == refused["Message-ID"]
    assert message["From"] == "Ringfence <ringfence@example.org>" and message["To"] == "grace@example.org"
    assert message["Subject"] == "Ringfence: A backup failed"
    assert message["Auto-Submitted"] == "auto-generated"
    text = message.get_content()
    assert "exists already" in text and "/moderation/account/mail" in text
    assert set(post.mailbox.sign_ins) == {("ringfence", PASSWORD)}
    assert len(post.mailbox.envelopes) == 1
    log = server.log.read_text()
    assert PASSWORD not in log
    wait_until(lambda: not list(server.data.glob("*.mail")), 30, "the file of the message to be removed")


def test_a_kill_between_commit_and_send_loses_no_mail(make_server, post, settings):
    port = post.port
    post.stop()
    server = make_server(**settings(port))
    choose(server, "backup_failed", "case_overdue")
    fail_a_backup(server)
    wait_until(lambda: server.query("SELECT attempts FROM outbox") not in ([], [["0"]]), 60, "a first attempt")
    [[attempts]] = server.query("SELECT attempts FROM outbox")
    server.signal(signal.SIGKILL)
    server.ended()
    again = Server(post.mailbox, post.context, port)
    again.start()
    try:
        server.start()
        # At once, unless the server is sending it already.
        server.query(f"UPDATE outbox SET next_attempt_at = now() WHERE attempts = {attempts}")
        wait_until(lambda: post.mailbox.messages, 300, "the mail")
        wait_until(lambda: server.query("SELECT count(*) FROM outbox WHERE delivered_at IS NULL") == [["0"]], 30, "its end")
        assert len(post.mailbox.envelopes) == 1
    finally:
        again.stop()


def test_a_server_without_starttls_or_with_another_certificate_gets_no_mail(make_server, post, settings):
    plain = Controller(Mailbox(), hostname=HOST, port=Server.free_port(), ready_timeout=30)
    plain.start()
    try:
        for variables in (settings(plain.port), settings(post.port) | {"CURL_CA_BUNDLE": "/etc/ssl/certs/ca-certificates.crt"},
                          settings(post.port, password="wrong")):
            server = make_server(**variables)
            choose(server)
            ended = server.run_unchecked("notify", "--test")
            assert ended.returncode == 1, ended
            assert "mailto:grace@example.org: The mail was not sent: curl: (" in ended.stdout
            assert "Receivers that were not reached: 1 of 1." in ended.stderr
            assert "wrong" not in ended.stdout + ended.stderr
            server.close()
    finally:
        plain.stop()
    assert not plain.handler.envelopes and not post.mailbox.envelopes


def test_a_program_like_sendmail_gets_the_message(make_server, tmp_path):
    program = tmp_path / "sendmail"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/arguments\ncat > {tmp_path}/message\n')
    program.chmod(0o755)
    server = make_server(RINGFENCE_MAIL=str(program), RINGFENCE_MAIL_FROM="ringfence@example.org")
    choose(server, "publication")
    assert server.run("notify").splitlines() == ["mailto:grace@example.org: publication"]
    assert server.run("notify", "--test").splitlines() == ["mailto:grace@example.org: sent"]
    assert (tmp_path / "arguments").read_text().split() == ["-i", "-f", "ringfence@example.org", "--", "grace@example.org"]
    message = email.message_from_bytes((tmp_path / "message").read_bytes(), policy=email.policy.default)
    assert message["Subject"] == "Ringfence: Test"


def test_a_message_that_is_given_up_does_not_wait(make_server, tmp_path):
    program = tmp_path / "sendmail"
    program.write_text(
        f'#!/bin/sh\ncat > /dev/null\nenv > {tmp_path}/environment\necho "$5: no such user"\nexit 67\n')
    program.chmod(0o755)
    server = make_server(
        RINGFENCE_MAIL=str(program), RINGFENCE_MAIL_FROM="ringfence@example.org", RINGFENCE_ACCOUNT_KEY="ab" * 32)
    choose(server, "backup_failed")
    fail_a_backup(server)
    waits = "backup_failed to mailto:grace@example.org. The mail was not sent: RECIPIENT: no such user"
    wait_until(lambda: f"waiting: {waits}" in server.run("notify"), 60, "a first attempt")
    server.query("UPDATE outbox SET attempts = 39, next_attempt_at = now()")
    wait_until(lambda: f"given up: {waits}" in server.run("notify"), 60, "the last attempt")
    # The address may be an owner's.
    assert "Gave up a message" in server.log.read_text() and "grace@example.org" not in server.log.read_text()
    assert "ab" * 32 not in (tmp_path / "environment").read_text()


@pytest.mark.parametrize("variables, said", [
    ({"RINGFENCE_MAIL": "smtp://mail.example.org"}, "mail needs mail-from"),
    ({"RINGFENCE_MAIL": "mail.example.org", "RINGFENCE_MAIL_FROM": "a@example.org"}, "smtp://HOST:PORT"),
    ({"RINGFENCE_MAIL": "smtp://me:secret@mail.example.org", "RINGFENCE_MAIL_FROM": "a@example.org"}, "smtp://HOST:PORT"),
    ({"RINGFENCE_MAIL": "smtp://h", "RINGFENCE_MAIL_FROM": "a@b"}, "ringfence@example.org"),
    ({"RINGFENCE_MAIL": "smtp://h", "RINGFENCE_MAIL_FROM": "a@example.org", "RINGFENCE_MAIL_USER": "a"}, "belong together"),
    ({"RINGFENCE_AFTER_PUBLISH": "/nowhere/copy"}, "executable file"),
])
def test_wrong_settings_are_refused_at_the_start(tmp_path, variables, said):
    server = RingfenceServer(tmp_path, **variables)
    server.launch()
    assert server.process.wait(60) != 0
    text = server.log.read_text()
    assert said in text and "secret" not in text


def test_a_program_runs_after_each_publication_and_its_failure_is_an_event(make_server, tmp_path):
    program, log = tmp_path / "after", tmp_path / "log"
    program.write_text(
        f'#!/bin/sh\necho "$RINGFENCE_SERIAL $(ls "$RINGFENCE_PUBLICATIONS"/manifest.json) $RINGFENCE_PSEUDONYM_KEY$RINGFENCE_OIDC_CLIENT_SECRET" >> {log}\n'
        f'test ! -e {tmp_path}/broken || {{ echo "no room"; exit 3; }}\n')
    program.chmod(0o755)
    server = make_server("--demo", "--after-publish", str(program), RINGFENCE_PSEUDONYM_KEY="ab" * 32,
                         RINGFENCE_OIDC_CLIENT_SECRET="a client's secret")
    state = server.data / "after-publish.serial"
    first = int(server.query("SELECT max(serial) FROM publications")[0][0])
    wait_until(lambda: state.exists() and int(state.read_text()) == first, 60, "the run after the newest publication")
    server.run("publish")
    wait_until(lambda: state.read_text() == f"{first + 1}\n", 60, "the second run")
    manifest = str((server.data / "publications" / "manifest.json").resolve())
    assert log.read_text().splitlines()[-2:] == [f"{first} {manifest} ", f"{first + 1} {manifest} "]
    choose(server, "after_publish_failed")
    (tmp_path / "broken").touch()
    ended = server.run_unchecked("publish", "--after-publish", str(program))
    assert ended.returncode == 1 and "The publication is made." in ended.stderr and "exit code 3: no room" in ended.stderr
    assert server.query("SELECT event, receiver FROM outbox") == [["after_publish_failed", "mailto:grace@example.org"]]
    # It is tried again until it ends well.
    (tmp_path / "broken").unlink()
    server.run("publish", "--after-publish", str(program))
    assert state.read_text() == f"{first + 3}\n"


def test_a_program_that_hangs_is_ended_with_its_children(make_server, tmp_path):
    program = tmp_path / "after"
    program.write_text(f'#!/bin/sh\nsleep 600 &\necho $! > {tmp_path}/child\nwait\n')
    program.chmod(0o755)
    server = make_server("--demo")
    ended = server.run_unchecked("publish", "--after-publish", str(program), RINGFENCE_AFTER_PUBLISH_SECONDS="1")
    assert ended.returncode == 1 and "took longer than 1 s" in ended.stderr
    child = int((tmp_path / "child").read_text())
    wait_until(lambda: not os.path.exists(f"/proc/{child}") or "Z" in open(f"/proc/{child}/stat").read().split()[2], 30,
               "the child to end")


@pytest.mark.parametrize("script, status", [("setsid sleep 60 &", 0), ("setsid sleep 60 & wait", 1)])
def test_a_program_that_leaves_another_one_behind_ends(make_server, tmp_path, script, status):
    """The other one is in a session of its own, and keeps the output open."""
    program = tmp_path / "after"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    server = make_server()
    begin = time.monotonic()
    ended = server.run_unchecked("publish", "--after-publish", str(program), RINGFENCE_AFTER_PUBLISH_SECONDS="3")
    assert ended.returncode == status and time.monotonic() - begin < 55, ended.stderr
