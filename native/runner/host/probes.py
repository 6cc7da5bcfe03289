"""The twelve programs of the self-test. Each tries one thing a sandbox must refuse.

Each defines f(...) returning "refused" when the kernel said no and "reached" when it did not; the
host looks at the other side too (listeners, the victim's life, the files). They go through
ctypes where Python's own wrapper could refuse first and hide a hole.
"""

from __future__ import annotations

_HEAD = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def told(result):
    return "refused" if result == -1 else "reached"
"""

PROBES: dict[str, str] = {
    "connect": """
import socket
def f(port, path, victim, abstract):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=0.5).close()
    except OSError:
        return "refused"
    return "reached"
""",
    "readCanary": """
def f(port, path, victim, abstract):
    try:
        with open(path + "/canary") as file:
            return "reached" if file.read() else "refused"
    except OSError:
        return "refused"
""",
    "writeCanary": """
def f(port, path, victim, abstract):
    made = "refused"
    for name in ("/canary", "/new"):
        try:
            with open(path + name, "w") as file:
                file.write("overwritten")
            made = "reached"
        except OSError:
            pass
    return made
""",
    "fork": _HEAD
    + """
def f(port, path, victim, abstract):
    child = libc.fork()
    if child == 0:
        os._exit(0)
    return told(child)
""",
    "exec": _HEAD
    + """
def f(port, path, victim, abstract):
    import sys
    arguments = (ctypes.c_char_p * 3)(b"python", b"-V", None)
    return told(libc.execv(sys.executable.encode(), arguments))
""",
    "kill": _HEAD
    + """
def f(port, path, victim, abstract):
    results = [libc.kill(target, 0) for target in (victim, os.getppid() or -1)]
    return "refused" if all(result == -1 for result in results) else "reached"
""",
    "ptrace": _HEAD
    + """
def f(port, path, victim, abstract):
    results = [libc.ptrace(0, 0, 0, 0), libc.ptrace(16, victim, 0, 0)]
    return "refused" if all(result == -1 for result in results) else "reached"
""",
    "chmod": _HEAD
    + """
def f(port, path, victim, abstract):
    results = [libc.chmod((path + "/canary").encode(), 0), libc.chmod(b"/tmp", 0o777)]
    return "refused" if all(result == -1 for result in results) else "reached"
""",
    "unshare": _HEAD
    + """
def f(port, path, victim, abstract):
    return told(libc.unshare(0x10000000))
""",
    "hostRoot": """
import os
def f(port, path, victim, abstract):
    for root in ("/proc/1/root", "/proc/%d/root" % victim, "/proc/self/root"):
        try:
            os.listdir(root + path)
            return "reached"
        except OSError:
            pass
    return "refused"
""",
    "abstractSocket": """
import socket
def f(port, path, victim, abstract):
    try:
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        channel.connect("\\0" + abstract)
    except OSError:
        return "refused"
    return "reached"
""",
    "memory": """
def f(port, path, victim, abstract):
    try:
        held = bytearray(1 << 31)
        held[::4096] = b"x" * len(held[::4096])
    except MemoryError:
        return "refused"
    return "reached"
""",
}
