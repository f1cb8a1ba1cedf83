"""A server for one test after the other, with all that earlier tests had acknowledged still in it."""


class Bench:
    """The server, and the reports that must stay in it."""

    def __init__(self, server):
        self.server = server
        self.settled = set()
        # Until the test in progress has found nothing wrong; a server with a difference is of no use to the next.
        self.is_sound = False
