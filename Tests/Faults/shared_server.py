"""A server used by several tests in turn, with all acknowledged reports of earlier tests."""


class SharedServer:
    """The server, and the reports that it must contain."""

    def __init__(self, server):
        self.server = server
        self.settled = set()
        # False until the current test has found no difference; a server with a difference is not used again.
        self.is_sound = False
