"""The check finds what depends on anything but the arguments, and accepts what does not."""

from __future__ import annotations

import pytest

from client import Broker

NONDETERMINISTIC = {
    "clock": "import time\ndef f(): return time.time()",
    "monotonicClock": "import time\ndef f(): return time.perf_counter()",
    "daysSinceBoot": "import os\ndef f(): return int(os.times().elapsed) // 86_400",
    "daysSinceBootByPosix": "import posix\ndef f(): return int(posix.times()[4]) // 86_400",
    "year": "import datetime\ndef f(): return datetime.date.today().year",
    "weekday": "from datetime import datetime\ndef f(): return datetime.now().strftime('%A %B')",
    "localTime": "import time\ndef f(): return time.localtime().tm_year",
    "clockText": "import time\ndef f(): return time.strftime('%Y')",
    "random": "import random\ndef f(): return random.random()",
    "randomInBody": "import random\nx = random.random()\ndef f(): return x",
    "systemRandom": "import secrets\ndef f(): return secrets.token_hex(8)",
    "urandom": "import os\ndef f(): return os.urandom(8)",
    "uuid": "import uuid\ndef f(): return str(uuid.uuid4())",
    "hashOfText": "def f(): return hash('abc')",
    "setOrder": "def f(): return list({'a', 'b', 'c', 'd', 'e', 'f', 'g'})",
    "joinedSet": "def f(): return ''.join(set('abcdefghij'))",
    "address": "def f(): return id(object())",
    "defaultRepr": "class A: pass\ndef f(): return repr(A())",
    "counter": "n = 0\ndef f():\n    global n\n    n += 1\n    return n",
    "mutableDefault": "def f(seen=[]):\n    seen.append(1)\n    return len(seen)",
    "sharedIterator": "it = iter(range(9))\ndef f(): return next(it)",
    "failsTheSecondTime": "once = []\ndef f():\n    assert not once\n    once.append(1)",
    "kernelClock": "import time\ndef f(): return time.clock_gettime(time.CLOCK_REALTIME) // 86400",
    "uptime": "import time\ndef f(): return time.clock_gettime(time.CLOCK_BOOTTIME) // 86400",
    "monotonicDays": "import time\ndef f(): return time.monotonic_ns() // 86400_000_000_000",
    "asctime": "import time\ndef f(): return time.asctime()[-4:]",
    "clockOfTheLibrary": "import ctypes\ndef f(): return ctypes.CDLL(None).time(None) // 86400",
    "clockOfTheDatabase": "import sqlite3\ndef f():\n    db = sqlite3.connect(':memory:')\n"
    "    return db.execute(\"select date('now')\").fetchone()[0]",
    "dateOfAFolder": "import os\ndef f(): return os.stat('/tmp').st_mtime // 86400",
    "dateByPosix": "import posix\ndef f(): return posix.stat('/tmp').st_mtime_ns // 10**14",
    "dateByPath": "from pathlib import Path\ndef f(): return Path('/tmp').stat().st_mtime // 86400",
    "dateInAListing": "import os\ndef f():\n"
    "    with os.scandir(os.path.dirname(os.__file__)) as all:\n"
    "        return max(entry.stat().st_mtime for entry in all if entry.is_dir())",
    "clockRemainder": "import time\ndef f(): return time.time_ns() % 7919",
}
DETERMINISTIC = {
    "arithmetic": "def f(): return 2 ** 100",
    "sortedSet": "def f(): return sorted({'a', 'b', 'c'})",
    "setAsSet": "def f(): return {'a', 'b', 'c', 'd', 'e'}",
    "seededRandom": "import random\ndef f(): return random.Random(7).random()",
    "reseeded": "import random\ndef f():\n    random.seed(3)\n    return random.random()",
    "fixedDates": "from datetime import date\ndef f(): return str(date(2024, 2, 29).weekday())",
    "hashOfNumber": "def f(): return hash(12345)",
    "alwaysFails": "def f(): raise ValueError",
    "duration": "import time\ndef f():\n    start = time.perf_counter()\n"
    "    return 0 <= time.perf_counter() - start < 60",
    "processorTime": "import time\ndef f(): return time.clock_gettime(2) < 60",
    "timeout": "import threading\ndef f(): return threading.Event().wait(0.01)",
    "listing": "import os\ndef f():\n    with os.scandir(os.path.dirname(os.__file__)) as all:\n"
    "        return sorted(entry.name for entry in all if entry.name.startswith('a'))",
    "sizeOfAFile": "import os\ndef f(): return os.path.getsize(os.__file__) > 1000",
    "lateImports": "import json, uuid, decimal, asyncio, tempfile, csv\ndef f(): return 1",
    "changesItsArgument": "def f(x=None):\n    x = x or [3, 1]\n    x.sort()\n    return x",
}
CALL = [{"args": []}]


@pytest.mark.parametrize("name", NONDETERMINISTIC)
def test_a_nondeterministic_program_is_found(broker: Broker, name: str) -> None:
    result = broker.ask("check", program=NONDETERMINISTIC[name], entry="f", calls=CALL)
    assert (result["deterministic"], result["differedCall"]) == (False, 0)


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_a_deterministic_program_passes(broker: Broker, name: str) -> None:
    result = broker.ask("check", program=DETERMINISTIC[name], entry="f", calls=CALL)
    assert (result["deterministic"], result["differedCall"]) == (True, None)


def test_the_call_that_differs_is_named(broker: Broker) -> None:
    program = "import time\ndef f(x): return time.time() if x == 1 else x"
    calls = [{"args": [["i", hex(n)]]} for n in range(3)]
    result = broker.ask("check", program=program, entry="f", calls=calls)
    assert (result["deterministic"], result["differs"]) == (False, [1])


def test_changing_an_argument_does_not_reach_the_second_call(broker: Broker) -> None:
    result = broker.ask(
        "check",
        program="def f(x):\n    x.append(1)\n    return x",
        entry="f",
        calls=[{"args": [["l", []]]}],
    )
    assert result["deterministic"] and result["calls"][0]["value"] == ["l", [["i", "0x1"]]]


def test_a_program_that_fails_as_a_whole_is_not_called_deterministic(broker: Broker) -> None:
    result = broker.ask("check", program="def f(:", entry="f", calls=CALL)
    assert (result["status"], result["deterministic"]) == ("error", False)
    assert result["error"] == {"type": "SyntaxError", "line": 1}


def test_the_hash_seed_is_really_the_one_asked_for(broker: Broker) -> None:
    program = "def f(): return hash('anchor')"
    first = [broker.run(program, hashSeed=seed)["calls"][0]["value"] for seed in (0, 4242, 0, 4242)]
    assert first[:2] == first[2:] and first[0] != first[1]
