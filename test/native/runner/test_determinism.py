"""The check finds what depends on anything but the arguments, and accepts what does not."""

from __future__ import annotations

import pytest

from client import Broker
from inside.clock import CLOCK_SHIFT_S

# Two ends of a connection in memory, without certificates: a session of TLS has a date.
HANDSHAKE = """
import ssl
def end(side):
    context = ssl.SSLContext(side)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("aNULL:@SECLEVEL=0")
    return context
def f():
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = end(ssl.PROTOCOL_TLS_CLIENT).wrap_bio(back, there)
    server = end(ssl.PROTOCOL_TLS_SERVER).wrap_bio(there, back, server_side=True)
    for side in (client, server) * 3:
        try: side.do_handshake()
        except ssl.SSLWantReadError: pass
    return client.session.time // 86400
"""
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
    "dateByTheImporter": "from importlib.machinery import SourceFileLoader\n"
    "def f(): return SourceFileLoader('a', '/tmp').path_stats('/tmp')['mtime'] // 86400",
    "dateByTheFinder": "from importlib.machinery import FileFinder\ndef f():\n"
    "    finder = FileFinder('/tmp')\n    finder.find_spec('nothing')\n"
    "    return finder._path_mtime // 86400",
    "dateThatTheFinderKept": "import sys\ndef f():\n"
    "    return max(vars(finder).get('_path_mtime', 0)\n"
    "               for finder in sys.path_importer_cache.values() if finder)",
    "dateByASetOfFunctions": "import os\ndef f():\n"
    "    [stat] = [call for call in os.supports_follow_symlinks if 'stat' in repr(call)]\n"
    "    return stat('/tmp').st_mtime // 86400",
    "numberOfAFile": "import os\ndef f(): return os.fstat(1).st_ino // 10_000_000",
    "numberInAListing": "import os\ndef f():\n"
    "    with os.scandir(os.path.dirname(os.__file__)) as all:\n"
    "        return max(entry.inode() for entry in all)",
    "numberOfADevice": "import os\ndef f(): return os.stat('/tmp').st_dev // 1_000_000",
    "freeBlocks": "import os\ndef f(): return os.statvfs('/usr').f_bfree // 10_000_000",
    "numberOfADisk": "import os\ndef f(): return os.statvfs('/tmp').f_fsid",
    "diskUsage": "import shutil\ndef f(): return shutil.disk_usage('/usr').free // 10**11",
    "numberOfTheProcess": "import os\ndef f(): return os.getpid() // 1_000_000",
    "numberOfTheOneAbove": "import os\ndef f(): return os.getppid() // 1_000_000",
    "numberOfTheThread": "import threading\ndef f(): return threading.get_native_id() // 1_000_000",
    "clockOfTheUuid": "import uuid\ndef f(): return uuid.uuid1().time // (86400 * 10**7)",
    "clockOfAnotherInterpreter": "import os\n"
    "try: import _xxsubinterpreters as interpreters\n"
    "except ModuleNotFoundError: import _interpreters as interpreters\n"
    "def f():\n    read, write = os.pipe()\n"
    "    text = f'import os, time; os.write({write}, b\"%d\" % (time.time() // 86400))'\n"
    "    interpreters.run_string(interpreters.create(), text)\n    return os.read(read, 99)",
    "clockOfAHandshake": HANDSHAKE,
    "clockLoadedAnew": "import sys\ndel sys.modules['time']\nimport time\n"
    "def f(): return time.time() // 86400",
    "clockReloaded": "import importlib, time\nimportlib.reload(time)\n"
    "def f(): return time.time() // 86400",
    "clockMadeByHand": "import _imp, importlib.machinery\n"
    "time = _imp.create_builtin(importlib.machinery.ModuleSpec('time', None))\n"
    "def f(): return time.time() // 86400",
    "clockByFreshImports": "import sys\ndel sys.modules['_imp']\nimport _imp, importlib.machinery\n"
    "time = _imp.create_builtin(importlib.machinery.ModuleSpec('time', None))\n"
    "def f(): return time.time() // 86400",
    "dateLoadedAnew": "import sys\ndel sys.modules['posix'], sys.modules['os']\nimport os, posix\n"
    "def f(): return (os.stat('/tmp').st_mtime + posix.stat('/tmp').st_mtime) // 86400",
    "yearLoadedAnew": "import sys\n"
    "for name in ('datetime', '_datetime'): sys.modules.pop(name, None)\n"
    "import datetime\ndef f(): return datetime.datetime.now().year",
    "clockOfTheLibraryLoadedAnew": "import sys\n"
    "for name in ('ctypes', '_ctypes'): sys.modules.pop(name, None)\n"
    "import ctypes\ndef f(): return ctypes.CDLL(None).time(None) // 86400",
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
    "fixedDateOfAPlace": "from datetime import datetime\nfrom zoneinfo import ZoneInfo\n"
    "def f(): return str(datetime(2024, 7, 1, tzinfo=ZoneInfo('Europe/Paris')))",
    "compiledLibrary": "import builtins\nfound, real = [], compile\n"
    "builtins.compile = lambda *all, **more: (found.append(all[1]), real(*all, **more))[1]\n"
    "import csv, json.tool, tempfile, xml.dom.minidom\ndef f(): return found",
    "treeTakenAway": "import os, shutil, tempfile\ndef f():\n"
    "    folder = tempfile.mkdtemp() if os.access('/tmp', os.W_OK) else None\n"
    "    if folder: shutil.rmtree(folder)\n    return folder and os.path.exists(folder)",
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


def test_what_comes_round_after_some_days_is_another_day_in_the_second_look() -> None:
    days = CLOCK_SHIFT_S // 86_400  # one more where the hours go past midnight
    assert [n for n in range(3, 1_000) if days % n == 0 or (days + 1) % n == 0] == []
