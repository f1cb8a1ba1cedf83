"""A real identity provider: Debian's glewlwyd with a database, keys, a client and people of its own."""

import json
import shutil
import socket
import sqlite3
import subprocess
from pathlib import Path

import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from waiting import wait_until

SCHEMA = Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
PAGES = Path("/usr/share/glewlwyd/webapp")
# The password of the administrator after the installation.
ADMINISTRATOR = {"username": "admin", "password": "password"}


class Glewlwyd:
    def __init__(self, folder):
        self.folder = Path(folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://localhost:{self.port}"
        # Its plugin for OpenID Connect has the name oidc.
        self.issuer = f"{self.address}/api/oidc"
        self.process = None
        self.admin = requests.Session()

    def start(self):
        self._make_database()
        self._make_pages()
        types = {
            ".html": "text/html", ".css": "text/css", ".js": "application/javascript", ".json": "application/json",
            ".woff2": "font/woff2"}
        mime = ",".join(f'{{extension = "{name}" mime_type = "{kind}"}}' for name, kind in types.items())
        config = self.folder / "glewlwyd.conf"
        config.write_text(f"""
port={self.port}
bind_address="127.0.0.1"
external_url="{self.address}"
login_url="login.html"
api_prefix="api"
static_files_path="{self.folder}/pages/"
allow_origin="{self.address}"
log_mode="file"
log_level="WARNING"
log_file="{self.folder}/glewlwyd.log"
cookie_secure=0
session_expiration=2419200
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="/usr/lib/glewlwyd/user"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
hash_algorithm="SHA512"
database = {{ type = "sqlite3" path = "{self.folder}/glewlwyd.db" }};
static_files_mime_types = ({mime})
""")
        self.process = subprocess.Popen(
            ["glewlwyd", "--config-file", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self._answers, 30, lambda: f"glewlwyd to answer; it said:\n{self._log()}")
        return self

    def close(self):
        if self.process:
            self.process.terminate()
            self.process.wait(timeout=30)

    def _log(self):
        log = self.folder / "glewlwyd.log"
        return log.read_text() if log.exists() else "nothing"

    def _answers(self):
        assert self.process.poll() is None, self._log()
        try:
            return self.admin.post(f"{self.address}/api/auth/", json=ADMINISTRATOR, timeout=5).status_code == 200
        except requests.ConnectionError:
            return False

    def _make_database(self):
        with sqlite3.connect(self.folder / "glewlwyd.db") as database:
            database.executescript(SCHEMA.read_text())
            # People have roles.
            [[text]] = database.execute("SELECT gumi_parameters FROM g_user_module_instance")
            parameters = json.loads(text)
            parameters["data-format"]["roles"] = {
                "multiple": True, "read": True, "write": True, "profile-read": False, "profile-write": False}
            database.execute("UPDATE g_user_module_instance SET gumi_parameters = ?", [json.dumps(parameters)])

    def _make_pages(self):
        """The package's pages with a configuration of their own; the package's lies in /etc."""
        pages = self.folder / "pages"
        # Copies, because it serves no links.
        shutil.copytree(PAGES, pages, ignore=shutil.ignore_patterns("config.json"))
        (pages / "config.json").write_text(json.dumps({
            "GlewlwydUrl": self.address + "/", "ProfileUrl": "profile.html", "AdminUrl": "index.html",
            "LoginUrl": "login.html", "CallbackPage": "callback.html", "PasswordMinLength": 8, "lang": ["en"],
            "pattern": {"user": [], "client": []}, "defaultScheme": "", "sessionSchemes": [],
            "profilePicture": {"property": "picture", "type": "image/*"}, "register": [], "register-complete": [],
            "providerMainstreamList": []}))

    def _call(self, method, path, body):
        answer = self.admin.request(method, f"{self.address}/api/{path}", json=body, timeout=30)
        assert answer.status_code == 200, (path, answer.status_code, answer.text, self._log())

    def set_up(self, client, secret, callback, signed_out):
        """Adds the plugin with a new key for ES256, and a client."""
        key = ec.generate_private_key(ec.SECP256R1())
        pem = serialization.Encoding.PEM
        self._call("POST", "mod/plugin/", {
            "module": "oidc", "name": "oidc", "display_name": "OpenID Connect", "parameters": {
                "iss": self.issuer, "jwt-type": "ecdsa", "jwt-key-size": "256",
                "key": key.private_bytes(
                    pem, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()).decode(),
                "cert": key.public_key().public_bytes(
                    pem, serialization.PublicFormat.SubjectPublicKeyInfo).decode(),
                "jwks-show": True, "access-token-duration": 3600, "refresh-token-duration": 1209600,
                "code-duration": 600, "refresh-token-rolling": True, "allow-non-oidc": False,
                "auth-type-code-enabled": True, "auth-type-token-enabled": False, "auth-type-none-enabled": False,
                "auth-type-id-token-enabled": True, "auth-type-password-enabled": False,
                "auth-type-client-enabled": False, "auth-type-device-enabled": False,
                "auth-type-refresh-enabled": False, "pkce-allowed": True, "pkce-method-plain-allowed": False,
                "session-management-allowed": True, "session-cookie-name": "GLEWLWYD2_OIDC_SID",
                "session-cookie-expiration": 2419200, "oauth-as-iss-id": True, "subject-type": "public",
                "name-claim": "mandatory", "claims": [
                    {"name": "roles", "user-property": "roles", "type": "string", "mandatory": True, "on-demand": False,
                     "scope": []}]}})
        self._call("POST", "client/", {
            "client_id": client, "name": "Ringfence", "enabled": True, "confidential": True, "client_secret": secret,
            "password": secret, "redirect_uri": [callback], "authorization_type": ["code"],
            "token_endpoint_auth_method": ["client_secret_basic"], "post_logout_redirect_uri": signed_out,
            "scope": []})

    def add_person(self, username, password, name, roles):
        self._call("POST", "user/", {
            "username": username, "password": password, "name": name, "email": f"{username}@example.org",
            "enabled": True, "scope": ["openid", "g_profile"], "roles": roles})

    def set_roles(self, username, roles):
        person = self.admin.get(f"{self.address}/api/user/{username}", timeout=30).json()
        self._call("PUT", f"user/{username}", person | {"roles": roles})
