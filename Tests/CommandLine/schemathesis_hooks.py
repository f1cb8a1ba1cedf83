"""Values for the formats of our schemas that JSON Schema cannot express."""

import json
import re
import uuid
from datetime import datetime, timedelta, timezone

import schemathesis
from hypothesis import strategies as st

NOW = datetime.now(timezone.utc).replace(microsecond=0)

# Real numbering plans, because they decide which numbers are valid.
schemathesis.openapi.format("phone-number", st.builds(
    lambda prefix, rest: f"{prefix}{rest:04d}", st.sampled_from(["+3319900", "+1201555", "+4930123", "+44207946"]),
    st.integers(0, 9999)))
schemathesis.openapi.format("ip-address", st.ip_addresses().map(str))
schemathesis.openapi.format("country", st.sampled_from(["DE", "FR", "US", "gb", "Ru"]))
schemathesis.openapi.format("date-time", st.builds(
    lambda seconds: (NOW - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ"), st.integers(0, 300 * 86_400)))
schemathesis.openapi.format("date", st.builds(
    lambda days: (NOW - timedelta(days=days)).strftime("%Y-%m-%d"), st.integers(0, 28)))
# Never the same value twice: an id that was used and withdrawn cannot be used again.
schemathesis.openapi.format("uuid", st.randoms(use_true_random=False).map(
    lambda chance: str(uuid.UUID(int=chance.getrandbits(128), version=4))))


@schemathesis.serializer("text/csv")
def csv(context, value):
    """Any bytes. Values of the format binary have them as data."""
    return value.data if hasattr(value, "data") else str(value).encode()


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    """A line of any JSON, because items are checked one by one."""
    return json.dumps(value.data.decode("latin-1") if hasattr(value, "data") else value).encode()


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Removes default responses, which would hide a status that is not described."""
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            operation["responses"].pop("default", None)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Changes values that no schema can exclude, in sequences too: a withdrawn id cannot be used again, and a time from
    a response, such as a list's expiry, may be in the future. PhoneBlock's lists refuse since with limit or binary."""
    query = case.query
    # A malformed since stays, because its refusal is the expected answer.
    if case.operation.path == "/phoneblock/api/blocklist" and re.fullmatch("[0-9]{1,18}", str(query.get("since"))):
        if "limit" in query or query.get("format") == "binary":
            del query["since"]
    if isinstance(case.body, dict):
        complete(case.operation.path, case.body)
    if isinstance(case.body, dict) and is_uuid(case.body.get("report_id")):
        case.body["report_id"] = str(uuid.uuid4())
        try:
            ahead = datetime.fromisoformat(case.body["reported_at"]) > NOW
        except (KeyError, TypeError, ValueError):
            return
        if ahead:
            case.body["reported_at"] = NOW.strftime("%Y-%m-%dT%H:%M:%SZ")


def complete(path, body):
    """Adds a member of which one or the other must be there, which our schemas do not say."""
    if path.startswith("/v1/reporters/") and "installation" not in body:
        body.setdefault("reporter", "user-17")
    if path == "/v1/installations" and {"platform", "challenge"} <= body.keys():
        renewal = {"public_key": "AA==", "assertion": "AA==", "signature": "AA=="}
        attestation = {"key_id": "AA==", "attestation": "AA==", "certificates": []}
        for name, value in (renewal if renewal.keys() & body.keys() else attestation).items():
            body.setdefault(name, value)


@schemathesis.hook
def after_call(context, case, response):
    """OpenAPI has no name for the methods of WebDAV, which Allow contains."""
    if case.operation.path.startswith("/carddav/") and "allow" in response.headers:
        response.headers["allow"] = [
            ", ".join(method for method in value.split(", ") if method not in ("PROPFIND", "REPORT"))
            for value in response.headers["allow"]]


def is_uuid(value):
    try:
        return str(uuid.UUID(value)) == value
    except (AttributeError, TypeError, ValueError):
        return False
