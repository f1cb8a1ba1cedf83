"""Values of the formats that our schemas name, for what a JSON Schema cannot say."""

import uuid
from datetime import datetime, timedelta, timezone

import schemathesis
from hypothesis import strategies as st

NOW = datetime.now(timezone.utc).replace(microsecond=0)

# Real numbering plans: whether a number can be anybody's is for libphonenumber to say.
schemathesis.openapi.format("phone-number", st.builds(
    lambda prefix, rest: f"{prefix}{rest:04d}", st.sampled_from(["+3316200", "+1201555", "+4930123", "+4420794"]),
    st.integers(0, 9999)).map(lambda text: text))
schemathesis.openapi.format("country", st.sampled_from(["DE", "FR", "US", "gb", "Ru"]))
schemathesis.openapi.format("date-time", st.builds(
    lambda seconds: (NOW - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ"), st.integers(0, 300 * 86_400)))
schemathesis.openapi.format("date", st.builds(
    lambda days: (NOW - timedelta(days=days)).strftime("%Y-%m-%d"), st.integers(0, 28)))
schemathesis.openapi.format("uuid", st.builds(lambda number: str(uuid.UUID(int=number)), st.integers(0, 2**128 - 1)))


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    import json
    items = value if isinstance(value, list) else [value]
    return "\n".join(json.dumps(item) for item in items).encode()
