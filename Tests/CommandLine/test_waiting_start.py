"""A server that starts while a command uses the data folder waits for it; it does not wait for another server."""

import fcntl
import os
import threading

import requests

from waiting import wait_until


def test_a_server_waits_for_a_command_that_uses_its_folder(make_server):
    server = make_server()
    server.signal(15)
    assert server.ended() == 0
    with (server.data / "server.lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate()
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        starting = threading.Thread(target=server.start)
        starting.start()
        waiting = "Waiting for the command that uses the data folder"
        wait_until(lambda: waiting in server.log.read_text(), 60, "the server to say that it waits")
    starting.join()
    assert requests.get(server.address + "/readyz", timeout=30).status_code == 200
    second = server.run_unchecked("serve", "--port", "0")
    assert second.returncode != 0 and "in use" in second.stderr
    server.close()
