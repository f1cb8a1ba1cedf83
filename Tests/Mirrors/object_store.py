"""An object store that speaks S3, on 127.0.0.1: the servers of OpenStack Swift in one process, with objects in memory.

    /usr/bin/python3 object_store.py FOLDER ACCESS_KEY SECRET

FOLDER takes the rings and the databases of containers. The port is printed when the store listens. Signatures are
checked by Swift's s3api. Needs Debian's python3-swift, so Debian's Python runs it.
"""

import os
import pwd
import sys

from eventlet import patcher

patcher.monkey_patch(all=False, socket=True, select=True, thread=True)

import eventlet  # noqa: E402
from eventlet import wsgi  # noqa: E402
from swift.account.server import AccountController  # noqa: E402
from swift.common import utils  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import ConfigString, loadapp  # noqa: E402
from swift.container.server import ContainerController  # noqa: E402
from swift.obj.mem_server import ObjectController  # noqa: E402

PROXY = """
[DEFAULT]
swift_dir = {folder}
log_level = CRITICAL
user = {account}

[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats s3api tempauth slo dlo proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:gatekeeper]
use = egg:swift#gatekeeper

[filter:listing_formats]
use = egg:swift#listing_formats

[filter:s3api]
use = egg:swift#s3api
s3_acl = false

[filter:tempauth]
use = egg:swift#tempauth
user_{access_key} = {secret} .admin

[filter:slo]
use = egg:swift#slo

[filter:dlo]
use = egg:swift#dlo
"""


class Cache:
    """Swift's memcache, in this process."""

    def __init__(self):
        self.values = {}

    def get(self, key, raise_on_error=False):
        return self.values.get(key)

    def set(self, key, value, **_):
        self.values[key] = value

    def delete(self, key, server_key=None):
        self.values.pop(key, None)


def write_ring(folder, kind, port):
    builder = RingBuilder(part_power=1, replicas=1, min_part_hours=0)
    address = {"ip": "127.0.0.1", "port": port, "replication_ip": "127.0.0.1", "replication_port": port}
    builder.add_dev({"id": 0, "region": 1, "zone": 1, "device": "disk", "weight": 1, **address})
    builder.rebalance()
    builder.get_ring().save(f"{folder}/{kind}.ring.gz")


def main(folder, access_key, secret):
    # A name of an account and of a user, as in "test:tester".
    assert access_key.count(":") == 1
    utils.HASH_PATH_SUFFIX = b"tests"
    os.makedirs(f"{folder}/devices/disk")
    logger = utils.get_logger({"log_level": "CRITICAL"})
    settings = {"devices": f"{folder}/devices", "swift_dir": folder, "mount_check": "false", "disable_fallocate": "true"}
    # Rings name ports, so sockets listen before the servers are made.
    kinds = {"account": AccountController, "container": ContainerController, "object": ObjectController}
    sockets = {kind: eventlet.listen(("127.0.0.1", 0)) for kind in kinds}
    for kind, socket in sockets.items():
        write_ring(folder, kind, socket.getsockname()[1])
    for kind, controller in kinds.items():
        eventlet.spawn(wsgi.server, sockets[kind], controller(settings, logger=logger), log_output=False)
    proxy = loadapp(ConfigString(PROXY.format(
        folder=folder, account=pwd.getpwuid(os.getuid()).pw_name, access_key=access_key.replace(":", "_"),
        secret=secret)))
    listener = eventlet.listen(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    cache = Cache()
    wsgi.server(listener, lambda env, respond: proxy(env | {"swift.cache": cache}, respond), log_output=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
