"""The steps of a sign-in."""

import base64
import hashlib
import hmac
import struct
import time

PASSWORD = "seven small elephants"


def code(secret, at=None):
    """The code of an authenticator app (RFC 6238)."""
    step = int((at or time.time()) // 30)
    mac = hmac.new(base64.b32decode(secret.replace(" ", "")), struct.pack(">Q", step), hashlib.sha1).digest()
    offset = mac[19] & 15
    return f"{(struct.unpack('>I', mac[offset:offset + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def by_link(one, link, path="/moderation/account?welcome=1"):
    one.open(link)
    one.page.get_by_role("button", name="Sign in").click()
    one.page.wait_for_url("**" + path)


def by_password(one, server, name, password=PASSWORD):
    one.open(f"{server.address}/sign-in")
    one.refused.update({403, 429})
    one.page.get_by_label("Name").fill(name)
    one.page.get_by_label("Password").fill(password)
    one.page.get_by_role("button", name="Sign in").click()


def set_password(one, password=PASSWORD, current=None):
    if current:
        one.page.get_by_label("Current password").fill(current)
    one.page.get_by_label("New password", exact=True).fill(password)
    one.page.get_by_label("Repeat new password").fill(password)
    one.page.get_by_role("button", name="Set password" if not current else "Change password").click()


def set_up_second_factor(one):
    """Returns the secret and the recovery codes."""
    one.page.goto(one.page.url.split("/moderation")[0] + "/moderation/account/second-factor")
    secret = one.page.locator(".secret").inner_text()
    one.page.get_by_label("Enter the 6 digits").fill(code(secret))
    one.page.get_by_role("button", name="Turn on").click()
    return secret, one.page.locator(".codes li").all_inner_texts()
