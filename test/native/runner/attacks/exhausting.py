# More ways to spend what a machine has: memory no list sees, descriptors, threads, time in C.

#: zipBomb | memory/timeout/error
import zlib
def f(port, folder, victim, abstract):
    data = zlib.compress(bytes(100 << 20), 1)
    return len(b"".join(zlib.decompress(data) for _ in range(50)))

#: expandingArchive | memory/timeout/error
import io, zipfile
def f(port, folder, victim, abstract):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for index in range(10**6):
            archive.writestr(str(index), bytes(1 << 24))
    return "reached"

#: digitsWithoutLimit | timeout/memory
import sys
def f(port, folder, victim, abstract):
    sys.set_int_max_str_digits(0)
    return len(str(7 ** 10**7))

#: digitsToInteger | timeout/error=ValueError
import sys
def f(port, folder, victim, abstract):
    sys.set_int_max_str_digits(0)
    return int("9" * 10**7) % 7

#: sharedAnonymousMemory | memory/error=OSError
import mmap
def f(port, folder, victim, abstract):
    held = []
    while True:
        held.append(mmap.mmap(-1, 32 << 20, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))

#: reservedAddresses | memory/error=OSError
import mmap
def f(port, folder, victim, abstract):
    return len(mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000))

#: growTheHeap | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None)
    libc.sbrk.restype, libc.sbrk.argtypes = ctypes.c_long, (ctypes.c_long,)
    return "refused" if libc.sbrk(4 << 30) == -1 else "reached"

#: lockMemory | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    libc, space = ctypes.CDLL(None), ctypes.create_string_buffer(1 << 20)
    return "refused" if libc.mlockall(3) == -1 and libc.mlock(space, 1 << 20) == -1 else "reached"

#: nativeAllocations | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
    taken = 0
    while libc.malloc(8 << 20):
        taken += 8 << 20
        if taken > 1 << 30:
            return "reached"
    return "refused"

#: openUntilNoMore | error=OSError
import os
def f(port, folder, victim, abstract):
    for _ in range(1000):
        os.open("/dev/null", os.O_RDONLY)
    return "reached"

#: pipesUntilNoMore | error=OSError
import os
def f(port, folder, victim, abstract):
    for _ in range(1000):
        os.set_blocking(os.pipe()[1], False)
    return "reached"

#: pairsFullOfBytes | error=OSError
import socket
def f(port, folder, victim, abstract):
    held = []
    for _ in range(1000):
        left, right = socket.socketpair()
        left.setblocking(False)
        held.append((left, right))
        try:
            while True:
                left.send(bytes(65536))
        except BlockingIOError:
            pass
    return "reached"

#: duplicateHighDescriptors | error=OSError
import os
def f(port, folder, victim, abstract):
    os.dup2(0, 5000)
    return "reached"

#: pollersUntilNoMore | error=OSError
import select
def f(port, folder, victim, abstract):
    held = [select.epoll() for _ in range(1000)]
    return "reached"

#: deadlock | timeout
import threading
def f(port, folder, victim, abstract):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()

#: joinsAnEndlessThread | timeout
import threading
def f(port, folder, victim, abstract):
    thread = threading.Thread(target=threading.Event().wait)
    thread.start()
    thread.join()

#: spinningThreads | timeout/error=RuntimeError/memory/died
import threading
def f(port, folder, victim, abstract):
    def spin():
        while True:
            pass
    for _ in range(32):
        threading.Thread(target=spin, daemon=True).start()
    spin()

#: holdsTheInterpreterLock | timeout
import ctypes
def f(port, folder, victim, abstract):
    ctypes.PyDLL(None).sleep(3600)

#: blockedSignalsAndSleep | timeout
import signal, time
def f(port, folder, victim, abstract):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    time.sleep(3600)

#: signalStorm | timeout
import os, signal
signal.signal(signal.SIGUSR1, lambda *_: None)
def f(port, folder, victim, abstract):
    while True:
        os.kill(os.getpid(), signal.SIGUSR1)

#: equalHashes | timeout
def f(port, folder, victim, abstract):
    return len({index * (2 ** 61 - 1) for index in range(10**6)})

#: slowSubstring | timeout/ok/memory
def f(port, folder, victim, abstract):
    for _ in range(10**6):
        ("a" * 10**6 + "b").count("a" * 5 * 10**5 + "c")

#: nestedQuantifiers | timeout
import re
def f(port, folder, victim, abstract):
    return bool(re.match(r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 200))

#: fractionsThatGrow | timeout/memory
from fractions import Fraction
def f(port, folder, victim, abstract):
    value = Fraction(1, 3)
    while True:
        value = value * value + Fraction(1, 7)

#: deepRepr | error/died
def f(port, folder, victim, abstract):
    value = []
    for _ in range(10**5):
        value = [value]
    return len(repr(value))

#: deepEquality | error/died/timeout
def f(port, folder, victim, abstract):
    left, right = [], []
    for _ in range(10**6):
        left, right = [left], [right]
    return left == right

#: deepJson | error/died
import json
def f(port, folder, victim, abstract):
    return len(json.loads("[" * 10**6))

#: deepFree | ok=refused/died
def f(port, folder, victim, abstract):
    value = None
    for _ in range(10**6):
        value = (value,)
    del value
    return "refused"

#: deepCopy | error/died
import copy
def f(port, folder, victim, abstract):
    value = []
    for _ in range(10**5):
        value = [value]
    return len(copy.deepcopy(value))

#: deepRegex | error/died/memory/timeout
import re
def f(port, folder, victim, abstract):
    return bool(re.compile("(" * 5000 + ")" * 5000))

#: nativeRecursion | died
import ctypes
def f(port, folder, victim, abstract):
    call = ctypes.CFUNCTYPE(ctypes.c_int)
    import sys
    sys.setrecursionlimit(10**9)
    def deeper():
        return call(deeper)()
    return deeper()

#: hugeStackThread | error/memory/died
import threading
def f(port, folder, victim, abstract):
    threading.stack_size(1 << 30)
    threading.Thread(target=print).start()
    return "reached"

#: compileTooMuch | memory/timeout/error/died
def f(port, folder, victim, abstract):
    return len(compile("x = [" + "(1,2,3,4)," * 10**7 + "]", "a", "exec").co_consts)

#: foldedConstants | memory/timeout/error/ok
def f(port, folder, victim, abstract):
    return len(eval("+".join(["('a' * 4096)"] * 3000)) * (1 << 30))

#: formattedWidth | memory/error
def f(port, folder, victim, abstract):
    return len("%0*d" % (10**10, 1)) + len(format(1, "0" + str(10**9)))

#: reportOfEightMegabytes | output
import os
def f(port, folder, victim, abstract):
    for _ in range(128):
        os.write(3, b"x" * 65536)
    os.write(3, b"\n")
    return "reached"

#: sixteenTextsOfTheLargestSize | error=ResultTooLarge
def f(port, folder, victim, abstract):
    return [chr(97 + index) * 100_000 for index in range(16)]

#: oneHugeWrite | output
import os
def f(port, folder, victim, abstract):
    os.write(1, b"x" * (4 << 20))
    return "reached"

#: oneHugeError | output
import os
def f(port, folder, victim, abstract):
    os.write(2, b"x" * (4 << 20))
    return "reached"

#: nativeFlood | output
import ctypes
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None)
    while True:
        libc.write(1, b"x" * 4096, 4096)

#: hugeFileInPieces | error=OSError/error=PermissionError/died | skip=makes a real file
def f(port, folder, victim, abstract):
    with open("/tmp/pieces", "wb", buffering=0) as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
    return "reached"

#: allocatedFile | error/died | skip=makes a real file
import os
def f(port, folder, victim, abstract):
    fd = os.open("/tmp/allocated", os.O_RDWR | os.O_CREAT)
    os.posix_fallocate(fd, 0, 1 << 34)
    return "reached"

#: lowRecursionLimit | error=RecursionError/ok=refused
import sys
def f(port, folder, victim, abstract):
    for limit in range(1, 1000):
        try:
            sys.setrecursionlimit(limit)
            return "refused"
        except RecursionError:
            pass

#: pagesFarApart | memory
import ctypes, time
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    for index in range(20_000):
        # a page each gigabyte: eight kilobytes of page tables for four of memory
        place = libc.mmap(ctypes.c_void_p((1 << 40) + (index << 30)), ctypes.c_long(4096), 3, 0x100022, -1, ctypes.c_long(0))
        ctypes.memset(place, 1, 1)
    time.sleep(60)

#: threadsThatWait | memory/error=RuntimeError
import threading, time
def f(port, folder, victim, abstract):
    threading.stack_size(1 << 15)
    for _ in range(200):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    time.sleep(60)
