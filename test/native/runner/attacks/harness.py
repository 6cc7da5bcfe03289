# Attacks on the code around a program, in its own process: whatever they break is theirs alone. The job may end in any
# way that is not a breach; what counts is that the broker goes on, nothing outside changes and nothing comes out.

#: prelude
import builtins, gc, os, sys

#: baseExceptionReplaced | died/error/ok/badFrame
def f(port, folder, victim, abstract):
    builtins.BaseException = ValueError
    raise KeyboardInterrupt

#: endsAsASetupFailure | died/error
def f(port, folder, victim, abstract):
    builtins.BaseException = ValueError
    raise sys.modules["inside.warm_worker"].SetupFailed("failed")

#: becomesTheZygote | died/error/timeout/ok=refused
def f(port, folder, victim, abstract):
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            if type(value).__name__ == "Zygote":
                value.channel.sendall(b"\0\0\0\x02\0\0\0\0{}")
                return "reached"
        frame = frame.f_back
    return "refused"

#: forksAsTheZygote | error/died/ok=refused | skip=its child waits for a job
def f(port, folder, victim, abstract):
    sys.modules["inside.warm_worker"].fork_worker("unsafe", None)
    return "reached"

#: leavesTheJail | error/died
def f(port, folder, victim, abstract):
    sys.modules["inside.jail"].limit_resources({"cpuSeconds": 1000, "memoryBytes": 1 << 40}, False)
    sys.modules["inside.jail"].enter_namespaces()
    return "reached"

#: loosensTheFilter | error/died
def f(port, folder, victim, abstract):
    sys.modules["inside.kernel"].install_filter(b"\x06\0\0\0\0\0\xff\x7f")
    os.fork()
    return "reached"

#: patchesSystemExit | died/error/timeout/ok/badFrame
def f(port, folder, victim, abstract):
    frame = sys._getframe(1)
    frame.f_globals["_exit"] = lambda code: None
    frame.f_globals["_write"] = lambda fd, data: len(data)
    return "refused"

#: patchesTheEncoderByCtypes | died/error/ok/badFrame/timeout
import ctypes
def f(port, folder, victim, abstract):
    encode = sys.modules["inside.encode"]._walk
    encode.__code__ = (lambda value, depth, budget: '["s","' + "x" * 10**5 + '"]').__code__
    return 1

#: changesSmallIntegers | died/error/ok/timeout/badFrame
import ctypes
def f(port, folder, victim, abstract):
    for number in range(0, 64):
        ctypes.c_long.from_address(id(number) + 24).value = 7
    return "refused"

#: changesTypesInPlace | died/error/ok/timeout/badFrame
import ctypes
def f(port, folder, victim, abstract):
    for kind in (int, str, list, dict):
        ctypes.memset(id(kind) + 16, 0x41, 64)
    return "refused"

#: auditHookRaises | died/error/ok=refused/badFrame
def f(port, folder, victim, abstract):
    def no(event, arguments):
        raise RuntimeError(event)
    sys.addaudithook(no)
    return "refused"

#: auditHookSpins | timeout/ok=refused
def f(port, folder, victim, abstract):
    def spin(event, arguments):
        while True:
            pass
    sys.addaudithook(spin)
    return "refused"

#: collectorCallbackSpins | timeout/ok=refused
def f(port, folder, victim, abstract):
    def spin(phase, facts):
        while phase:
            pass
    gc.callbacks.append(spin)
    gc.set_threshold(1)
    return ["refused"] * 5000

#: exceptionHookSpins | error
def f(port, folder, victim, abstract):
    def spin(*_):
        while True:
            pass
    sys.excepthook = sys.unraisablehook = sys.breakpointhook = spin
    raise ValueError

#: lyingTraceback | error/died
def f(port, folder, victim, abstract):
    class Loop(Exception):
        __traceback__ = property(lambda self: 5)
    raise Loop()

#: cyclicTraceback | error/timeout/died
def f(port, folder, victim, abstract):
    error = ValueError()
    error.__context__ = error
    error.__cause__ = error
    raise error

#: errorWithHugeName | error
def f(port, folder, victim, abstract):
    raise type("E" * 10**6, (Exception,), {})()

#: syntaxErrorWithOwnLine | error=SyntaxError
def f(port, folder, victim, abstract):
    error = SyntaxError("x")
    error.filename, error.lineno = "<program>", 10**30
    raise error

#: ownSyntaxErrorLine | error/died
class Line(int):
    def __format__(self, spec): raise RuntimeError
    def __gt__(self, other): raise RuntimeError
def f(port, folder, victim, abstract):
    error = SyntaxError("x")
    error.filename, error.lineno = "<program>", Line(3)
    raise error

#: namespaceThatLies | error/ok=refused
class Names(dict):
    def __getitem__(self, key): raise SystemExit
sys.modules["program"].__dict__["__builtins__"] = Names()
def f(port, folder, victim, abstract):
    return "refused"

#: importHooks | ok=refused/error
class Finder:
    def find_spec(self, name, path=None, target=None):
        while True:
            pass
sys.meta_path.insert(0, Finder())
sys.path_hooks.insert(0, lambda path: 1 / 0)
def f(port, folder, victim, abstract):
    return "refused"

#: everythingClosedButTheReport | ok=refused
def f(port, folder, victim, abstract):
    for fd in (0, 1, 2):
        os.close(fd)
    sys.stdout = sys.stderr = None
    return "refused"

#: reportMadeNonBlocking | ok/badFrame/error/died/timeout
# On a busy machine the clock may end the job before it is through with so long a report.
def f(port, folder, victim, abstract):
    os.set_blocking(3, False)
    return ["x" * 90_000] * 10

#: reportReplacedByOutput | died/timeout/error/badFrame
def f(port, folder, victim, abstract):
    os.dup2(1, 3)
    return "reached"

#: framesOnStandardOutput | ok=refused
def f(port, folder, victim, abstract):
    print('{"id":1,"ok":true,"result":{"status":"ok","calls":[{"status":"ok","value":["s","reached"]}]}}\n' * 50)
    os.write(2, b'\0\0\0\x02\0\0\0\0{}' * 50)
    return "refused"

#: binaryOutput | ok=refused
def f(port, folder, victim, abstract):
    os.write(1, bytes(range(256)) * 20)
    os.write(2, "\u202e\u0000\x1b[2J".encode() + b"\xff\xfe\xed\xa0\x80")
    return "refused"

#: hugeLineNumber | badFrame
def f(port, folder, victim, abstract):
    os.write(3, b'{"call":0,"pass":0,"error":{"type":"E","line":' + b"9" * 10**5 + b"}}\n")
    os._exit(0)

#: deepReport | badFrame
def f(port, folder, victim, abstract):
    os.write(3, b'{"call":0,"pass":0,"value":' + b"[" * 10**5 + b"]" * 10**5 + b"}\n")
    os._exit(0)

#: quadraticReport | badFrame/output
def f(port, folder, victim, abstract):
    os.write(3, b'{"call":0,"pass":0,"value":["d",[' + b'[["n"],["n"]],' * 10**5 + b'[["n"],["n"]]]]}\n')
    os._exit(0)

#: duplicateKeysInReport | badFrame/ok
def f(port, folder, victim, abstract):
    os.write(3, b'{"call":0,"pass":0,"value":["n"],"value":["q"]}\n{"end":true}\n')
    os._exit(0)

#: reportWithoutLineEnd | badFrame/died/output
def f(port, folder, victim, abstract):
    os.write(3, b'{"call":0,"pass":0,"value":["s","' + b"x" * 10**6)
    os._exit(0)

#: subinterpreter | error/ok=refused/died
def f(port, folder, victim, abstract):
    import _xxsubinterpreters as interpreters
    number = interpreters.create()
    interpreters.run_string(number, "import os; os.fork()")
    return "reached"

#: nativeThreadAfterReturn | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    libc, thread = ctypes.PyDLL(None), ctypes.c_ulong()
    libc.pthread_create(ctypes.byref(thread), None, ctypes.cast(libc.sleep, ctypes.c_void_p), ctypes.c_void_p(60))
    return "refused"

#: atforkHandlers | error/died
def f(port, folder, victim, abstract):
    os.register_at_fork(before=lambda: os._exit(9), after_in_child=lambda: os._exit(9))
    os.fork()
    return "reached"
