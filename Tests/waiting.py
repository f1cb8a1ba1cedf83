"""Waiting for something to become true, with a bound."""

import time


def wait_until(condition, seconds, what):
    """Returns the first true answer of `condition`; fails when there is none within `seconds`.

    `what` says what was waited for: text, or a function that makes it when it is needed.
    """
    deadline = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"Waited {seconds} s in vain for {what() if callable(what) else what}.")
        time.sleep(0.01)
