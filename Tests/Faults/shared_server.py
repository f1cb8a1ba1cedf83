"""A server that several tests use one after the other, with all that earlier tests had acknowledged still in it."""


class SharedServer:
    """The server, and the reports that must stay in it."""

    def __init__(self, server):
        self.server = server
        self.settled = set()
        # False until the test in progress has found no difference; a server with one is not used again.
        self.is_sound = False
