"""Edits that several rows use, most of them to take away what covers for a protection."""

from __future__ import annotations

from guards.model import more_calls
from mutants import Edit

_FILTER = "inside/seccomp.py"

ANY_CLONE: Edit = (_FILTER, '"clone": _threads_only()', '"clone": _return(_ALLOW)')
ANY_KILL: Edit = (_FILTER, '"kill": _one_of(0, (own_pid,))', '"kill": _return(_ALLOW)')
ANY_IOCTL: Edit = (_FILTER, '"ioctl": _one_of(1, _IOCTLS)', '"ioctl": _return(_ALLOW)')
ANY_PRLIMIT: Edit = (_FILTER, '"prlimit64": _own_limits(own_pid)', '"prlimit64": _return(_ALLOW)')
SOCKETS = more_calls("socket=41", "connect=42")
NO_SCOPE: Edit = ("inside/landlock.py", "scoped = 3 if", "scoped = 0 if")
OLD_TMP: Edit = (
    "inside/jail.py",
    'kernel.mount("tmpfs", "/tmp", "tmpfs", quiet, TMP_OPTIONS)',
    "pass",
)
AS_ROOT: Edit = (
    "host/interpreter.py",
    "user = sandbox_user()\n    return {} if",
    "user = None\n    return {} if",
)
NO_SESSION: Edit = ("host/zygote.py", "start_new_session=True", "start_new_session=False")
OUR_ENVIRONMENT: Edit = (
    "host/zygote.py",
    "env=launch.environment",
    "env={**os.environ, **launch.environment}",
)
# The zygote does not notice that the broker is gone, as if it were busy elsewhere.
DEAF: Edit = (
    "inside/watchdog.py",
    '            verdict = "abandoned"',
    "            poller.unregister(channel.fileno())",
)
