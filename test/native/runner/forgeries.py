"""Programs that try to be marked right without knowing the answer.

The task of each: return the value the host has in mind. Known verifiers were beaten by these ideas
because the expected value, or the comparison, was in the program's process.
"""

from __future__ import annotations

_HEAD = "import gc, json, os, sys, builtins\n"

FORGERIES: dict[str, str] = {
    "equalsEverything": """
class Yes:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
def f(): return Yes()
""",
    "intThatEqualsEverything": """
class Yes(int):
    def __eq__(self, other): return True
    __hash__ = int.__hash__
def f(): return Yes(1)
""",
    "strThatEqualsEverything": """
class Yes(str):
    def __eq__(self, other): return True
    __hash__ = str.__hash__
def f(): return Yes("x")
""",
    "listThatEqualsEverything": """
class Yes(list):
    def __eq__(self, other): return True
def f(): return Yes()
""",
    "metaclassThatEqualsEverything": """
class Meta(type):
    def __eq__(cls, other): return True
    __hash__ = type.__hash__
class Yes(metaclass=Meta): pass
def f(): return Yes
""",
    "claimsToBeInt": """
class Yes:
    __class__ = int
    def __index__(self): return 1
def f(): return Yes()
""",
    "pickledCall": """
class Yes:
    def __reduce__(self): return (eval, ("expected",))
def f(): return Yes()
""",
    "nan": "def f(): return float('nan')\n",
    "walksFrames": _HEAD
    + """
def f():
    frame, found = sys._getframe(), []
    while frame:
        for name, value in frame.f_locals.items():
            if "gold" in name or "expect" in name or "answer" in name: found.append(value)
        frame = frame.f_back
    return found[0] if found else None
""",
    "searchesGarbage": _HEAD
    + """
def f():
    for thing in gc.get_objects():
        if isinstance(thing, dict):
            for key in ("gold", "expected", "answer"):
                if key in thing: return thing[key]
""",
    "readsTheJob": _HEAD
    + """
def f():
    frame = sys._getframe()
    while frame:
        job = frame.f_locals.get("job")
        if isinstance(job, dict):
            known = json.dumps({k: repr(v) for k, v in job.items()})
            return job.get("expected") or job.get("gold") or known
        frame = frame.f_back
""",
    "writesItsOwnFrame": _HEAD
    + """
def f():
    os.write(3, b'{"call":0,"pass":0,"value":["b",true]}\\n{"end":true}\\n')
    os._exit(0)
""",
    "writesToEveryDescriptor": _HEAD
    + """
def f():
    for fd in range(64):
        try: os.write(fd, b'{"call":0,"pass":0,"status":"ok","correct":true}\\n')
        except OSError: pass
    return True
""",
    "printsAFrame": 'def f():\n    print(\'{"call":0,"pass":0,"value":["b",true]}\')\n',
    "patchesTheWriter": _HEAD
    + """
real = os.write
os.write = lambda fd, data: real(fd, b'{"call":0,"pass":0,"value":["b",true]}\\n')
json.dumps = lambda *a, **k: '["b",true]'
def f(): return 0
""",
    "patchesBuiltins": _HEAD
    + """
builtins.type = lambda x: int
builtins.repr = lambda x: "True"
builtins.len = lambda x: 0
builtins.isinstance = lambda *a: True
builtins.sorted = lambda *a, **k: []
def f(): return 0
""",
    "replacesTheEncoder": _HEAD
    + """
def f():
    frame = sys._getframe(1)
    frame.f_globals["_encode"] = lambda value: '["b",true]'
    frame.f_globals["_send"] = frame.f_globals["send_line"] = lambda text: None
    return 0
""",
    "exitsCleanly": "import sys\ndef f(): sys.exit(0)\n",
    "exitsInTheBody": "import sys\nsys.exit(0)\n",
    "exceptionNamedOk": "class ok(Exception): pass\ndef f(): raise ok('value')\n",
    "backgroundWriter": _HEAD
    + """
import threading
def flood():
    while True:
        os.write(3, b'{"call":0,"pass":0,"value":["b",true]}\\n')
threading.Thread(target=flood, daemon=True).start()
def f():
    import time
    time.sleep(0.05)
    return True
""",
    "tracesTheDriver": _HEAD
    + """
def look(frame, event, argument):
    for name in ("gold", "expected"):
        if name in frame.f_locals: os.write(1, repr(frame.f_locals[name]).encode())
    return look
sys.setprofile(look)
def f(): return None
""",
    "prettyTexts": "def f(): return 'expected\\u202e\\u0000\\ud800'\n",
    "trueForOne": "def f(): return True\n",
    "patchesJsonAndStruct": _HEAD
    + """
import struct
json.encoder.encode_basestring_ascii = lambda text: '"x"],"correct":[true'
struct.pack = lambda *a: b"\\x3f\\xf0" + bytes(6)
json.loads = lambda *a, **k: True
def f(): return "x"
""",
    "searchesTheStackOfThreads": _HEAD
    + """
import threading
def f():
    for frame in sys._current_frames().values():
        while frame:
            for value in frame.f_locals.values():
                text = repr(value)[:10000]
                if '"gold"' in text or '"expected"' in text: return text
            frame = frame.f_back
    return threading.enumerate()[0].name
""",
    "readsOwnSource": _HEAD
    + """
def f():
    frame = sys._getframe()
    while frame:
        job = frame.f_locals.get("job")
        if isinstance(job, dict): return list(job["calls"][0].values())
        frame = frame.f_back
""",
    "returnsItsOwnArgumentsFrame": "def f(*a, **k): return a or k or ()\n",
    "growsTheAnswerLater": _HEAD
    + """
import threading, time
kept = []
def later():
    for n in range(10**6): kept.append(n)
def f():
    threading.Thread(target=later, daemon=True).start()
    return kept
""",
    "answersTwice": _HEAD
    + """
def f():
    os.write(3, b'{"call":0,"pass":0,"value":["i","0x1"]}\\n')
    return True
""",
    "answersForOtherCalls": _HEAD
    + """
def f():
    for n in range(50):
        os.write(3, b'{"call":%d,"pass":0,"value":["i","0x1"]}\\n' % n)
    os._exit(0)
""",
    "claimsTheModuleAgain": _HEAD
    + """
os.write(3, b'{"module":null}\\n{"call":0,"pass":0,"value":["i","0x1"]}\\n{"end":true}\\n')
def f(): return 1
""",
    "numberThatIsNoInteger": _HEAD
    + """
def f():
    os.write(3, b'{"call":0,"pass":0,"value":["i",1]}\\n{"end":true}\\n')
    os._exit(0)
""",
    "frameOfLooseTruth": _HEAD
    + """
def f():
    os.write(3, b'{"call":false,"pass":0.0,"value":["b",1]}\\n{"end":1}\\n')
    os._exit(0)
""",
    "brokersReply": _HEAD
    + """
def f():
    result = b'{"status":"ok","calls":[{"status":"ok","value":["i","0x1"]}]}'
    reply = b'{"id":1,"ok":true,"result":' + result + b'}\\n'
    for fd in (1, 2, 3): os.write(fd, reply)
    os._exit(0)
""",
    "dictThatOrdersItself": """
class Yes(dict):
    def __eq__(self, other): return True
    def items(self): return [(1, 1)]
def f(): return {"a": Yes()}
""",
    "tupleSubclassInside": """
import collections
class Yes(collections.namedtuple("Yes", "a")):
    def __eq__(self, other): return True
def f(): return [Yes(1)]
""",
    "enumThatIsOne": """
import enum
class Yes(enum.IntEnum):
    ONE = 1
def f(): return Yes.ONE
""",
    "changesTheNumberOne": _HEAD
    + """
import ctypes
def f():
    ctypes.c_int.from_address(id(True) + 24).value = 1
    return True
""",
    "oneByCapsule": _HEAD
    + """
import ctypes
def f():
    frame = sys._getframe(1)
    frame.f_locals["text"] = '["i","0x1"]'
    ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
    return None
""",
}
