# Ending the process in ways no exception handler sees, and confusing the reader of its report.

#: endlessRecursion | error=RecursionError
def f(port, folder, victim, abstract):
    return f(port, folder, victim, abstract)

#: stackSmash | died/timeout/memory/error
import sys
def f(port, folder, victim, abstract):
    sys.setrecursionlimit(10 ** 9)
    class Deep:
        def __getattr__(self, name):
            return getattr(Deep(), name)
    return Deep().anything

#: nestedParentheses | error/died/memory
def f(port, folder, victim, abstract):
    return eval("(" * 10 ** 5 + ")" * 10 ** 5)

#: nullPointer | died
import ctypes
def f(port, folder, victim, abstract):
    return ctypes.string_at(0)

#: abort | died
import os
def f(port, folder, victim, abstract):
    os.abort()

#: craftedBytecode | died/error/timeout
import types
def f(port, folder, victim, abstract):
    code = (lambda: 0).__code__.replace(co_code=b"\x64\xff" * 50, co_consts=(), co_stacksize=1)
    return types.FunctionType(code, {})()

#: leavesSilently | died
import os
def f(port, folder, victim, abstract):
    os._exit(0)

#: leavesPolitely | error=SystemExit
import sys
def f(port, folder, victim, abstract):
    sys.exit(0)

#: closesEverything | died
import os
def f(port, folder, victim, abstract):
    os.closerange(0, 64)
    return "reached"

#: closesAndSleeps | timeout
import os, time
def f(port, folder, victim, abstract):
    os.closerange(0, 64)
    time.sleep(3600)

#: bodyLeaves | error=SystemExit
raise SystemExit(0)

#: alarmInReporter | died/error/timeout/ok/badFrame
import signal
def boom(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, boom)
signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
def f(port, folder, victim, abstract):
    return list(range(10_000))

#: traceTheReporter | ok=refused
import sys
def f(port, folder, victim, abstract):
    def stop(frame, event, argument):
        raise SystemExit
    sys.settrace(stop)
    return "refused"

#: profileTheReporter | ok=refused/error=SystemExit
import sys
def f(port, folder, victim, abstract):
    def stop(frame, event, argument):
        raise SystemExit
    sys.setprofile(stop)
    return "refused"

#: laterTraceback | ok=refused
import faulthandler
def f(port, folder, victim, abstract):
    faulthandler.dump_traceback_later(0.01, repeat=True)
    return "refused"

#: nameWithNewline | error=okendtrue
def f(port, folder, victim, abstract):
    raise type('ok\n{"end":true}', (Exception,), {})()

#: lyingExceptionClass | error
class Meta(type):
    @property
    def __name__(cls):
        raise RuntimeError("reached")
class Lie(Exception, metaclass=Meta):
    def __str__(self):
        raise RuntimeError("reached")
def f(port, folder, victim, abstract):
    raise Lie()

#: noEntry | error=KeyError
def g(port, folder, victim, abstract):
    return 1

#: entryIsNoFunction | error=TypeError
f = 5

#: encodingCookie | ok=refused/error
# -*- coding: utf-7 -*-
def f(port, folder, victim, abstract):
    return "refused"
