"""Every protection of the runner, what takes it out, and the named test that fails then.

Five tables, read as one: the kernel's fences, its filter, the process of a job, the host, and
graded jobs.
"""

from __future__ import annotations

from guards.calls import CALLS
from guards.fences import FENCES
from guards.grading import GRADING
from guards.host import HOST
from guards.model import Guard
from guards.process import PROCESS

GUARDS: tuple[Guard, ...] = (*FENCES, *CALLS, *PROCESS, *HOST, *GRADING)

# Words in the code that look like a protection and are none, with the reason.
NOT_GUARDS: dict[str, str] = {
    "launch.--setenv": "adds the few variables that are wanted",
    "launch.--symlink": "shows a folder of libraries where it is a link",
    "launch.--proc": "for the zygote, which watches its jobs there; a job has none",
    "launch.--chdir": "a place to stand",
    "launch.--cap-drop": "what bubblewrap does for an ordinary user anyway, said aloud",
    "launch.-c": "how the interpreter gets its first code",
    "jail.PR_SET_DUMPABLE": "opens the way to uid_map for a moment; the second one closes it",
    "watchdog.MAX_STRETCH": "fairness on a busy machine: what waiting for a processor may excuse",
    "warm_worker.closerange": "the middle process closes the job's pipes, so that their end shows",
    "warm_worker.closerange.2": "the same, for the descriptors above",
    "driver._set_trace": "a trace function of the program sees only code of its own process",
    "driver._set_profile": "the same for a profile function",
    "broker.die_with_parent": "the end of standard input ends the broker too; this is for a broker"
    " that is busy just then",
}
