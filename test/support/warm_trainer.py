"""Trainers that need not import PyTorch: one process imports it once and forks for each of them.

    warm_trainer.py serve FOLDER    answers at FOLDER/socket until its standard input ends
    warm_trainer.py start SOCKET    what tests give to the engine as `python -m anchor_trainer`

A fork is a trainer like any other: its own process, streams, environment, working folder and
umask. Only what stands before `main` is shared. FOLDER/PID, named by the process that asked for
it, holds its number. Tests that ask how a trainer starts or repeats itself take the real
interpreter.
"""

import gc
import json
import os
import selectors
import signal
import socket
import struct
import sys

MAX_REQUEST = 1 << 20


def start(path: str) -> int:
    """Hands its streams to a fork and ends as that ends."""
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.connect(path)
    own = {"environment": dict(os.environ), "folder": os.getcwd(), "umask": os.umask(0)}
    request = json.dumps(own).encode() + b"\n"
    socket.send_fds(line, [request[:1]], [0, 1, 2])
    line.sendall(request[1:])
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda number, _frame: line.sendall(bytes([number])))
    answer = b""
    while part := line.recv(64):
        answer += part
    if not answer:
        return 70  # the process that forks is gone
    status = int(answer)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
        os.kill(os.getpid(), number)
    return os.waitstatus_to_exitcode(status)


def take_request(line: socket.socket) -> tuple[dict, list[int]] | None:
    first, descriptors, _, _ = socket.recv_fds(line, 1, 3)
    text = first
    while first and not text.endswith(b"\n") and len(text) < MAX_REQUEST:
        part = line.recv(1 << 16)
        if not part:
            return None
        text += part
    return (json.loads(text), descriptors) if first else None


def become_trainer(request: dict, descriptors: list[int]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    for target, descriptor in enumerate(descriptors):
        os.dup2(descriptor, target)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    os.umask(request["umask"])
    sys.argv = ["anchor_trainer"]
    from anchor_trainer.__main__ import main

    code = 1
    try:
        code = main()
    finally:
        sys.stderr.flush()
        os._exit(code)


def serve(folder: str) -> int:
    path = os.path.join(folder, "socket")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(16)
    woken, waker = socket.socketpair()
    waker.setblocking(False)
    signal.set_wakeup_fd(waker.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    choice = selectors.DefaultSelector()
    for one, name in ((listener, "new"), (woken, "child"), (sys.stdin, "end")):
        choice.register(one, selectors.EVENT_READ, name)
    lines: dict[int, socket.socket] = {}
    print("ready", flush=True)
    while True:
        for key, _ in choice.select():
            if key.data == "end":
                if not os.read(0, 1):
                    return 0
            elif key.data == "new":
                begin(listener, folder, choice, lines)
            elif key.data == "child":
                woken.recv(64)
                tell_ends(folder, choice, lines)
            else:
                pass_on(key, choice)


def begin(
    listener: socket.socket, folder: str, choice: selectors.BaseSelector, lines: dict
) -> None:
    from anchor_trainer import process_guard

    process_guard.fix_environment()
    gc.disable()
    import anchor_trainer.server  # noqa: F401  the first one pays for all

    gc.freeze()  # a fork that looked through it for garbage would copy its pages

    line, _ = listener.accept()
    taken = take_request(line)
    if taken is None:
        line.close()
        return
    request, descriptors = taken
    child = os.fork()
    if child == 0:
        choice.close()
        listener.close()
        note = note_of(folder, line)
        line.close()
        for other in lines.values():
            other.close()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with open(note, "w", encoding="ascii") as file:
            file.write(str(os.getpid()))
        become_trainer(request, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    lines[child] = line
    choice.register(line, selectors.EVENT_READ, child)


def note_of(folder: str, line: socket.socket) -> str:
    """Where the number of the fork stands for the process at the other end of `line`."""
    credentials = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    asker, _user, _group = struct.unpack("3i", credentials)
    return os.path.join(folder, str(asker))


def pass_on(key: selectors.SelectorKey, choice: selectors.BaseSelector) -> None:
    """A signal for the fork, or the end of who started it, which ends the fork too."""
    try:
        said = key.fileobj.recv(1)
    except ConnectionError:
        said = b""
    if not said:
        choice.unregister(key.fileobj)
    os.kill(key.data, said[0] if said else signal.SIGKILL)


def tell_ends(folder: str, choice: selectors.BaseSelector, lines: dict) -> None:
    while True:
        try:
            child, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if child == 0:
            return
        line = lines.pop(child)
        # Another process may get the number of the one that asked.
        try:
            os.unlink(note_of(folder, line))
        except FileNotFoundError:
            pass  # it was killed before it wrote that
        if line in {key.fileobj for key in choice.get_map().values()}:
            choice.unregister(line)
        try:
            line.sendall(str(status).encode())
        except OSError:
            pass  # whoever asked for it is gone
        line.close()


if __name__ == "__main__":
    act, place = sys.argv[1:]
    raise SystemExit({"serve": serve, "start": start}[act](place))
