# Spending memory, time and output.

#: appendForever | memory/timeout
def f(port, folder, victim, abstract):
    held = []
    while True:
        held.append(bytes(1 << 20))

#: hundredGigabytes | memory
def f(port, folder, victim, abstract):
    return len(bytearray(100 << 30))

#: hugeIntegerText | memory/timeout/error=ValueError
def f(port, folder, victim, abstract):
    return len(str(10 ** 10 ** 8))

#: hugeProduct | memory/timeout
import itertools
def f(port, folder, victim, abstract):
    return len(list(itertools.product(range(1000), repeat=5)))

#: mapForever | memory/error=OSError/timeout
import mmap
def f(port, folder, victim, abstract):
    held = []
    while True:
        held.append(mmap.mmap(-1, 64 << 20))
        held[-1].write(bytes(64 << 20))

#: stringDoubling | memory/timeout
def f(port, folder, victim, abstract):
    text = "x"
    while True:
        text += text

#: memoryInThreads | memory/died/error=RuntimeError/timeout
import threading
def f(port, folder, victim, abstract):
    held = []
    def grow():
        while True:
            held.append(bytearray(8 << 20))
    for _ in range(4):
        threading.Thread(target=grow, daemon=True).start()
    grow()

#: catchesMemoryError | timeout/memory/ok
def f(port, folder, victim, abstract):
    held = []
    for _ in range(10**9):
        try:
            held.append(bytes(16 << 20))
        except MemoryError:
            pass

#: spin | timeout
def f(port, folder, victim, abstract):
    while True:
        pass

#: backtrackingRegex | timeout
import re
def f(port, folder, victim, abstract):
    return bool(re.match(r"(a+)+$", "a" * 40 + "b"))

#: longSum | timeout
def f(port, folder, victim, abstract):
    return sum(range(10 ** 12))

#: sleep | timeout
import time
def f(port, folder, victim, abstract):
    time.sleep(3600)

#: hugePower | timeout
def f(port, folder, victim, abstract):
    return 3 ** (10 ** 9) % 7

#: endlessGenerator | timeout
import itertools
def f(port, folder, victim, abstract):
    return sum(1 for _ in itertools.count())

#: catchesEverything | timeout
def f(port, folder, victim, abstract):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue

#: sleepInBody | timeout
import time
time.sleep(3600)
def f(port, folder, victim, abstract):
    return "reached"

#: handlesCpuSignal | timeout
import signal
signal.signal(signal.SIGXCPU, lambda *_: None)
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
def f(port, folder, victim, abstract):
    while True:
        pass

#: hashCollisions | timeout
class Same(int):
    __hash__ = lambda self: 1
def f(port, folder, victim, abstract):
    return len({Same(index): 0 for index in range(10 ** 6)})

#: waitsForInput | error=EOFError
def f(port, folder, victim, abstract):
    return input()

#: floodOutput | output
def f(port, folder, victim, abstract):
    while True:
        print("x" * 1000)

#: floodErrors | output
import sys
def f(port, folder, victim, abstract):
    while True:
        sys.stderr.write("x" * 1000)

#: floodReport | output/badFrame
import os
def f(port, folder, victim, abstract):
    while True:
        os.write(3, b"x" * 65536)

#: millionElements | error=ResultTooLarge
def f(port, folder, victim, abstract):
    return list(range(10 ** 6))

#: deepList | error=ResultTooLarge
def f(port, folder, victim, abstract):
    value = []
    for _ in range(10 ** 5):
        value = [value]
    return value

#: cyclicList | error=ResultTooLarge
def f(port, folder, victim, abstract):
    value = []
    value.append(value)
    return value

#: sharedBranches | error=ResultTooLarge
def f(port, folder, victim, abstract):
    value = []
    for _ in range(60):
        value = [value, value]
    return value

#: hugeInteger | error=ResultTooLarge
def f(port, folder, victim, abstract):
    return 1 << 30000

#: hugeText | error=ResultTooLarge
def f(port, folder, victim, abstract):
    return "x" * 200_000

#: floodLinesOfReports | badFrame/output
import os
def f(port, folder, victim, abstract):
    for index in range(10 ** 5):
        os.write(3, b'{"call":%d,"pass":0,"value":["n"]}\n' % index)
    return "reached"
