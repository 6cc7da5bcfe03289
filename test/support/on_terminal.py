"""Starts a program on a terminal of its own, and closes that once a line comes on standard input.

    on_terminal.py PROGRAM [ARGUMENT...]

Standard output has "pid PID", what the program writes, and "ended CODE".

The program leads the terminal's session, as a shell does: as the terminal is closed it gets SIGHUP,
and what it writes from then on fails with EIO.
"""

import os
import pty
import select
import sys

pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
print(f"pid {pid}", flush=True)
while True:
    ready, _, _ = select.select([terminal, sys.stdin], [], [])
    if sys.stdin in ready:
        sys.stdin.readline()
        break
    try:
        os.write(1, os.read(terminal, 65536))
    except OSError:
        break  # it has ended by itself
os.close(terminal)
_, status = os.waitpid(pid, 0)
print(f"ended {os.waitstatus_to_exitcode(status)}", flush=True)
