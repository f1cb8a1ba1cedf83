"""A browser window that collects errors."""

POLICY = {
    "default-src": "'none'", "style-src": "'self'", "script-src": "'self'", "img-src": "'self' data:",
    "connect-src": "'self'", "form-action": "'self'", "base-uri": "'none'", "frame-ancestors": "'none'",
}


class Visit:
    """A page, and the errors of its console, scripts and requests."""

    def __init__(self, page, has_scripts=True):
        self.page = page
        self.complaints = []
        self.refused = set()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("requestfailed", self._failed)
        page.on("response", self._answered)
        # Pages ignore keys until they are drawn. Without scripts nobody would say when.
        if has_scripts:
            for name in ("goto", "wait_for_url"):
                setattr(page, name, then_drawn(page, getattr(page, name)))

    def open(self, address, status=200):
        """Opens an address and expects this status."""
        self.refused.add(status)
        response = self.page.goto(address)
        assert response.status == status, address
        return response

    def _heard(self, message):
        # A refusal that the test expects is not an error; `_answered` checks the status itself.
        if message.type in ("error", "warning") and "the server responded with a status of" not in message.text:
            self.complaints.append(f"console: {message.text}")

    def _failed(self, request):
        # A picture that was still loading when the next page was opened.
        if request.failure != "net::ERR_ABORTED":
            self.complaints.append(f"failed: {request.url} {request.failure}")

    def _answered(self, response):
        if response.status >= 400 and response.status not in self.refused:
            self.complaints.append(f"{response.status}: {response.url}")
        headers = response.headers
        policy = dict(part.strip().split(" ", 1) for part in headers.get("content-security-policy", "").split(";") if part)
        if policy != POLICY:
            self.complaints.append(f"policy of {response.url}: {policy}")
        if headers.get("x-content-type-options") != "nosniff" or headers.get("referrer-policy") != "no-referrer":
            self.complaints.append(f"headers of {response.url}: {headers}")


def drawn(page):
    """Waits until a page has been drawn, but not for one that another window hides."""
    page.evaluate("() => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 1_000) })")


def then_drawn(page, go):
    """A way to a page that also waits until it has been drawn."""
    def result(*given, **named):
        found = go(*given, **named)
        drawn(page)
        return found
    return result
