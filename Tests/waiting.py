"""Waits for a condition, with a time limit."""

import time


def wait_until(condition, seconds, what):
    """Returns the first true answer of `condition`; fails if there is none within `seconds`.

    `what` names the condition for the error: a text, or a function that returns one.
    """
    deadline = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"Waited {seconds} s in vain for {what() if callable(what) else what}.")
        time.sleep(0.01)
