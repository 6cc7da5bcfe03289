# What one job leaves for another. `twice`: the program runs two times and the second one's end counts;
# `secret`: it runs right after a job whose source, argument, output and result all hold the canary's text.

#: prelude
import os
MARK = "-only-the-" + "host"  # put together here, so that a search does not find this line

#: leftInTemporary | ok=refused/error | twice | skip=leaves something behind
def f(port, folder, victim, abstract):
    seen = os.path.exists("/tmp/left")
    open("/tmp/left", "w").write("here")
    return "reached" if seen else "refused"

#: leftAnywhere | ok=refused | twice | skip=leaves something behind
def f(port, folder, victim, abstract):
    seen = False
    for place in ("/", "/dev/", "/dev/shm/", "/proc/", "/usr/", "/usr/lib/", "/etc/", "/var/tmp/", "/run/", "/lib/"):
        seen = seen or os.path.exists(place + "anchor-left")
        try:
            open(place + "anchor-left", "w").write("here")
        except OSError:
            pass
    return "reached" if seen else "refused"

#: leftModule | ok=refused/error | twice | skip=leaves something behind
import sys
def f(port, folder, victim, abstract):
    sys.path.insert(0, "/tmp")
    try:
        import left_module
        return "reached"
    except ImportError:
        open("/tmp/left_module.py", "w").write("x = 1")
        return "refused"

#: changedLibrary | ok=refused | twice
import json, math
def f(port, folder, victim, abstract):
    seen = hasattr(json, "left") or math.sqrt(4) != 2
    json.left, math.sqrt = True, lambda x: 99
    return "reached" if seen else "refused"

#: changedHarness | ok=refused/error=EOFError/ok | twice
import sys
def f(port, folder, victim, abstract):
    seen = any(getattr(module, "left", False) for name, module in sys.modules.items() if name.startswith("inside"))
    for name, module in list(sys.modules.items()):
        if name.startswith("inside"):
            module.left = True
    return "reached" if seen else "refused"

#: leftKey | ok=refused | twice | skip=leaves something behind
import ctypes
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None)
    seen = libc.syscall(250, 10, ctypes.c_long(-4), b"user", b"left-4d1f", 0)
    libc.syscall(248, b"user", b"left-4d1f", b"here", ctypes.c_long(4), ctypes.c_long(-4))
    return "reached" if seen != -1 else "refused"

#: leftSocket | ok=refused | twice
import socket
def f(port, folder, victim, abstract):
    try:
        channel = socket.socket(socket.AF_UNIX)
        channel.bind("\0left-4d1f")
    except OSError:
        return "refused"
    return "reached"

#: leftInPipes | ok=refused | twice
def f(port, folder, victim, abstract):
    for fd in range(256):
        try:
            os.set_blocking(fd, False)
            if fd > 2 and os.read(fd, 4096):
                return "reached"
        except OSError:
            pass
    return "refused"

#: leftPriority | ok=refused | twice
import signal
def f(port, folder, victim, abstract):
    seen = signal.getsignal(signal.SIGTERM) is signal.SIG_IGN or os.umask(0o777) == 0o777
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return "reached" if seen else "refused"

#: framesAbove | ok=refused | secret
import sys
def f(port, folder, victim, abstract):
    frame = sys._getframe(1)
    while frame:
        for value in list(frame.f_locals.values()) + list(frame.f_globals.values()):
            for part in value if isinstance(value, (tuple, list)) else [value]:
                if isinstance(part, (bytes, bytearray, str, dict)) and "4d1f" + MARK in str(part):
                    return str(part)
        frame = frame.f_back
    return "refused"

#: everyObject | ok=refused | secret
import gc
def f(port, folder, victim, abstract):
    seen, pending = set(), gc.get_objects()
    for thing in pending:
        for part in gc.get_referents(thing):
            if isinstance(part, (bytes, bytearray, str)) and id(part) not in seen:
                seen.add(id(part))
                text = part if isinstance(part, str) else bytes(part).decode("latin-1")
                if "4d1f" + MARK in text:
                    return text
    return "refused"

#: viewsOfFrames | ok=refused/died | secret
import sys
def f(port, folder, victim, abstract):
    frame = sys._getframe(1)
    while frame:
        for value in list(frame.f_locals.values()):
            for part in value if isinstance(value, (tuple, list)) else [value]:
                if isinstance(part, memoryview) and MARK.encode() in bytes(part):
                    return bytes(part).decode("latin-1")
        frame = frame.f_back
    return "refused"

#: wholeMemory | ok=refused | secret
import ctypes
def f(port, folder, victim, abstract):
    # a write of unmapped memory to a pipe fails instead of crashing: so a program can look for what is mapped
    libc = ctypes.CDLL(None)
    libc.write.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
    libc.sbrk.restype = ctypes.c_void_p
    read, write = os.pipe()
    mark, page = MARK.encode(), 4096
    stack = ctypes.addressof(ctypes.c_int.in_dll(ctypes.pythonapi, "Py_NoSiteFlag"))
    starts = [(libc.sbrk(0) - (24 << 20), 24 << 20), (stack - (2 << 20), 4 << 20)]
    starts += [(around - (2 << 20), 4 << 20) for around in sorted({id(thing) >> 22 << 22 for thing in (object(), "x" * 600, {}, [])})]
    for start, size in starts:
        for address in range(start // page * page, start + size, page):
            if libc.write(write, address, page) == page:
                held = os.read(read, page)
                # the words being looked for lie in memory too: what was told has more before them
                where = held.find(b"4d1f" + mark)
                if where >= 0:
                    return held[max(0, where - 7):where + 40].decode("latin-1")
    return "refused"

#: hostName | ok=sandbox | only=L3
import platform
def f(port, folder, victim, abstract):
    return platform.node()

#: ownProcessTitle | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    # a name of its choice is a job's to have: the zygote goes by number
    ctypes.CDLL(None).prctl(15, b"broker.py", 0, 0, 0)
    return "refused"
