"""Creates a minimal Debian root, like an image's base. Needs root and debootstrap."""

import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

# The supported releases, the newest first.
SUITES = ["trixie", "bookworm"]
SUITE = SUITES[0]


def run(*command, **more):
    """Runs a command; prints its output if it fails."""
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, **more)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))[:300]} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    return done.stdout


def make(folder, suite=SUITE):
    """Installs Debian's smallest system into a folder, unless it is already there."""
    if (folder / "etc/debian_version").exists():
        return folder
    if not shutil.which("debootstrap"):
        raise SystemExit("debootstrap is missing: apt-get install debootstrap")
    partial = folder.with_name(folder.name + ".part")
    shutil.rmtree(partial, ignore_errors=True)
    run("debootstrap", "--variant=minbase", suite, partial)
    sources = partial / "etc/apt/sources.list"
    sources.write_text(
        f"deb http://deb.debian.org/debian {suite} main\n"
        f"deb http://deb.debian.org/debian-security {suite}-security main\n")
    partial.rename(folder)
    return folder


def copy(base, folder):
    """Copies a root so that the copy can be changed."""
    shutil.rmtree(folder, ignore_errors=True)
    run("cp", "--archive", "--reflink=auto", base, folder)
    return prepare(folder)


def prepare(folder):
    """Lets a root install packages."""
    shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
    # No service may start while packages are installed.
    policy = folder / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    return folder


@contextmanager
def mounted(root, *binds):
    """Mounts /proc, /dev and `binds` for the time of the body; `binds` are (source, target) with the target below the
    root.

    The root has its own shared memory, as in a container: in this machine's /dev only root may write to it, and
    PostgreSQL would not start.
    """
    mounts = []
    try:
        for kind, what, where in [
            ("proc", "proc", "proc"), ("bind", "/dev", "dev"), ("tmpfs", "tmpfs", "dev/shm"), *[("bind", a, str(b).lstrip("/")) for a, b in binds]]:
            target = root / where
            target.mkdir(parents=True, exist_ok=True)
            if kind == "bind":
                run("mount", "--bind", what, target)
            else:
                run("mount", "-t", kind, what, target)
            mounts.append(target)
        yield
    finally:
        for target in reversed(mounts):
            subprocess.run(["umount", "--lazy", target], check=False)


def inside(root, *command, **variables):
    """Runs a command in the root with a clean environment; returns its output."""
    environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                   "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", **variables}
    return run("chroot", root, *command, env=environment)


# The packages that swift.org's toolchain needs, and tools to download and build.
SWIFT_NEEDS = (
    "binutils ca-certificates curl git g++ libc6-dev libcurl4-openssl-dev libedit2 libncurses6 "
    "libsqlite3-0 libxml2-dev libz3-4 make procps tzdata unzip zlib1g-dev")


def install_swift_needs(root):
    """Prepares a root for a Swift toolchain that is mounted into it."""
    inside(root, "/bin/sh", "-c",
           f"apt-get update -q=2 && apt-get install -q=2 --yes --no-install-recommends {SWIFT_NEEDS} > /dev/null")
    # The certificates of this machine, which may be behind a proxy with its own certificate.
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", root / "etc/ssl/certs/ca-certificates.crt")


# The mount point of a mirror of packages.
PACKAGES = "/packages"


def take_packages_from(root):
    """Makes git in the root clone from the mounted mirror instead of github.com."""
    (root / "etc/gitconfig").write_text(
        f'[url "{PACKAGES}/"]\n\tinsteadOf = https://github.com/\n[safe]\n\tdirectory = *\n')


def bytes_of(folder):
    """The bytes of a folder, without mounted file systems."""
    return int(run("du", "--summarize", "--one-file-system", "--block-size=1", folder).split()[0])


def megabytes(count):
    return f"{count / 1e6:.0f} MB"


def need_root():
    if os.geteuid() != 0:
        raise SystemExit("This needs root: run it with sudo.")
    # Mounts are private to this process and end with it.
    if os.environ.get("RINGFENCE_IN_NAMESPACE") != "1":
        os.environ["RINGFENCE_IN_NAMESPACE"] = "1"
        script = Path(os.sys.argv[0]).resolve()
        os.execvp("unshare", ["unshare", "--mount", "--propagation=private", os.sys.executable, str(script),
                              *os.sys.argv[1:]])
