"""Generates reports about few numbers by few reporters, so that votes are often replaced."""

import itertools
import json
import random
import threading
import time
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

NUMBERS = ["+12015550123", "+442079460018", "+4930123456", "+33142685300", "+390669812345"]
REPORTERS = [f"user-{i}" for i in range(20)]
CATEGORIES = ["fraud", "robocall", "telemarketing", "survey", "legitimate"]


@dataclass(frozen=True)
class Report:
    report_id: str
    number: str
    category: str
    reporter: str
    reported_at: str

    @property
    def body(self):
        return json.dumps(vars(self)).encode()


class ReportSource:
    """Generates reports over fifty days, in random order, whose times differ by at least a millisecond."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self._count = itertools.count(1)
        self._lock = threading.Lock()
        self._latest = datetime.fromtimestamp(int(time.time()), timezone.utc)

    def next(self):
        with self._lock:
            # An odd factor reaches each of 2³² milliseconds once.
            age = timedelta(milliseconds=next(self._count) * 2_654_435_761 % 2**32)
            return Report(
                report_id=str(uuid.UUID(int=self._random.getrandbits(128), version=4)),
                number=self._random.choice(NUMBERS),
                category=self._random.choice(CATEGORIES),
                reporter=self._random.choice(REPORTERS),
                reported_at=(self._latest - age).isoformat(timespec="milliseconds").replace("+00:00", "Z"))
