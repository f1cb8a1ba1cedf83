"""An identity provider that forges what a test asks for: tokens, keys, answers and their speed."""

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa


def encoded(data):
    if isinstance(data, dict):
        data = json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Key:
    def __init__(self, name):
        self.name = name
        self.private = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    @property
    def members(self):
        numbers = self.private.public_key().public_numbers()
        return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": self.name,
                "n": encoded(numbers.n.to_bytes(256, "big")), "e": encoded(numbers.e.to_bytes(3, "big"))}

    def sign(self, text):
        return self.private.sign(text, padding.PKCS1v15(), hashes.SHA256())

    def sign_with_public_key(self, text):
        """As a server expects that takes the algorithm from the token and the public key for a secret."""
        pem = self.private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        return hmac.digest(pem, text, "sha256")


class ForgingProvider:
    """Its attributes may be changed at any time."""

    def __init__(self):
        self.key = Key("first")
        self.shown_keys = [self.key]
        self.metadata = {}
        self.claims = {}
        self.head = {}
        self.sign = None
        self.answers = {}
        self.requests = []
        self.challenges = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.issuer = f"http://localhost:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def reset(self):
        self.metadata, self.claims, self.head, self.sign, self.answers = {}, {}, {}, None, {}

    def authorize(self, address):
        """A code for the request to sign in at this address, as after the person's consent; and the request's query."""
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))
        code = secrets.token_urlsafe(16)
        self.challenges[code] = query
        return code, query

    def token(self, query):
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": query["client_id"], "sub": "person-1", "name": "Ada", "iat": now,
                  "exp": now + 300, "nonce": query["nonce"], "roles": ["moderators"]} | self.claims
        claims = {name: value for name, value in claims.items() if value is not None}
        head = {"alg": "RS256", "kid": self.key.name} | self.head
        text = f"{encoded(head)}.{encoded(claims)}"
        return f"{text}.{encoded((self.sign or self.key.sign)(text.encode()))}"

    def _answer(self, path, form):
        """Status and body."""
        if path in self.answers:
            return self.answers[path]()
        if path == "/.well-known/openid-configuration":
            return 200, {
                "issuer": self.issuer, "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token", "jwks_uri": f"{self.issuer}/keys",
                "code_challenge_methods_supported": ["S256"]} | self.metadata
        if path == "/keys":
            return 200, {"keys": [key.members for key in self.shown_keys]}
        if path == "/token":
            query = self.challenges.get(form.get("code"))
            digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
            if not query or encoded(digest) != query["code_challenge"]:
                return 400, {"error": "invalid_grant"}
            return 200, {"access_token": "secret-access-token", "token_type": "Bearer", "id_token": self.token(query)}
        return 404, {}

    def _handler(provider):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self._respond({})

            def do_POST(self):
                text = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._respond(dict(urllib.parse.parse_qsl(text)))

            def _respond(self, form):
                path = urllib.parse.urlsplit(self.path).path
                provider.requests.append((path, form, dict(self.headers)))
                status, body = provider._answer(path, form)
                body = body if isinstance(body, bytes) else json.dumps(body).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except (BrokenPipeError, ConnectionResetError):
                    pass

            def log_message(self, *_):
                pass

        return Handler
