"""Changes of what a right program hands back or does on the way, put around its entry point.

Each is the body of `changed(answer, given, count)`: the answer of the right program, the arguments
it got (after the call) and how many calls there were before; `count` tells calls apart, so that a
change may begin late. `where` names the types of answers it is of interest for; () is any.
"""

from __future__ import annotations

_SEQUENCE = (list, tuple)
_NUMBER = (int, float)

# kind: (types of the answer, lines of the body)
BEHAVIOURS: dict[str, tuple[tuple[type, ...], str]] = {
    # another type with an equal value
    "int for float": ((float,), "return int(answer)"),
    "float for int": ((int,), "return float(answer)"),
    "bool for int": ((int,), "return bool(answer)"),
    "int for bool": ((bool,), "return int(answer)"),
    "float for bool": ((bool,), "return float(answer)"),
    "complex for number": (_NUMBER, "return complex(answer)"),
    "tuple for list": ((list,), "return tuple(answer)"),
    "list for tuple": ((tuple,), "return list(answer)"),
    "set for sequence": (_SEQUENCE, "return set(answer)"),
    "tuples inside": ((list,), "return [tuple(x) if isinstance(x, list) else x for x in answer]"),
    "iterator": (_SEQUENCE, "return iter(answer)"),
    "generator": (_SEQUENCE, "yield from answer"),
    "range or array": ((list,), "import array\nreturn array.array('q', answer)"),
    "deque": (_SEQUENCE, "import collections\nreturn collections.deque(answer)"),
    "list subclass": ((list,), "return type('Row', (list,), {})(answer)"),
    "named tuple": (
        (tuple,),
        "import collections\nnames = ['f%d' % i for i in range(len(answer))]\n"
        "return collections.namedtuple('Row', names)(*answer)",
    ),
    "int subclass": ((int,), "return type('Count', (int,), {})(answer)"),
    "float subclass": ((float,), "return type('Size', (float,), {})(answer)"),
    "text subclass": ((str,), "return type('Word', (str,), {})(answer)"),
    "int enum": ((int,), "import enum\nreturn enum.IntEnum('Level', {'X': answer}).X"),
    "decimal": (_NUMBER, "import decimal\nreturn decimal.Decimal(answer)"),
    "fraction": (_NUMBER, "import fractions\nreturn fractions.Fraction(answer)"),
    "frozen set": ((set,), "return frozenset(answer)"),
    "ordered dict": ((dict,), "import collections\nreturn collections.OrderedDict(answer)"),
    "default dict": ((dict,), "import collections\nreturn collections.defaultdict(int, answer)"),
    "items for dict": ((dict,), "return list(answer.items())"),
    "reversed dict": ((dict,), "return dict(reversed(list(answer.items())))"),
    "bytes for text": ((str,), "return answer.encode()"),
    "list for text": ((str,), "return list(answer)"),
    "text for number": (_NUMBER, "return str(answer)"),
    "numpy number": (_NUMBER, "import numpy\nreturn numpy.array([answer])[0]"),
    "numpy array": (_SEQUENCE, "import numpy\nreturn numpy.array(answer)"),
    "numpy inside": (_SEQUENCE, "import numpy\nreturn type(answer)(numpy.array(answer))"),
    "boxed in a list": (_NUMBER, "return [answer]"),
    # nearly the value
    "error of 1e-9": ((float,), "return answer + 1e-9"),
    "error of 5e-7": ((float,), "return answer + 5e-7"),
    "error of 5e-6": ((float,), "return answer + 5e-6"),
    "error of 5e-5": ((float,), "return answer + 5e-5"),
    "relative 5e-8": ((float,), "return answer * (1 + 5e-8)"),
    "relative 2e-7": ((float,), "return answer * (1 + 2e-7)"),
    "errors of 1e-9 inside": (
        _SEQUENCE,
        "return type(answer)(x + 1e-9 if type(x) is float else x for x in answer)",
    ),
    "not a number": (_NUMBER, "return float('nan')"),
    "infinity": (_NUMBER, "return float('inf')"),
    "negative zero": (_NUMBER, "return -0.0 if answer == 0 else answer"),
    "turned round": (_SEQUENCE, "return answer[::-1]"),
    "one item more": (_SEQUENCE, "return answer + type(answer)([0])"),
    "space at the end": ((str,), "return answer + ' '"),
    # another answer, from some call on
    "none": ((), "return None"),
    "none from the fifth call": ((), "return answer if count < 4 else None"),
    "not implemented": ((), "return NotImplemented"),
    "exception": ((), "raise ValueError('no')"),
    "exception from the eighth call": ((), "return answer if count < 7 else 1 // 0"),
    "exception of its own": ((), "raise type('Odd', (BaseException,), {})()"),
    "exception group": ((), "raise BaseExceptionGroup('two', [ValueError(), KeyboardInterrupt()])"),
    "keyboard interrupt": ((), "raise KeyboardInterrupt"),
    "system exit": ((), "raise SystemExit(0)"),
    "exit": ((), "exit()"),
    "end of the process": ((), "import os\nos._exit(0)"),
    "end from the fourth call": ((), "import os\nif count > 2: os._exit(0)\nreturn answer"),
    "recursion error": ((), "def deeper(n): return deeper(n + 1) + 1\nreturn deeper(0)"),
    "caught recursion": (
        (),
        "def deeper(n): return deeper(n + 1) + 1\ntry: deeper(0)\n"
        "except RecursionError: return answer",
    ),
    "memory error": ((), "bytearray(6 << 30)\nreturn answer"),
    "caught memory error": (
        (),
        "try: bytearray(6 << 30)\nexcept MemoryError: return answer\nreturn None",
    ),
    "huge list": ((), "return [0] * 30000"),
    "endless loop": ((), "while True: pass"),
    "endless sleep": ((), "import time\ntime.sleep(1000)"),
    # the same answer with noise
    "prints": ((), "print('noise', answer)\nreturn answer"),
    "prints a megabyte": ((), "if count == 0: print('x' * 1000000)\nreturn answer"),
    "writes to standard error": ((), "import sys\nsys.stderr.write('noise')\nreturn answer"),
    "closes standard output": ((), "import sys\nsys.stdout.close()\nreturn answer"),
    "reads input": ((), "input()\nreturn answer"),
    "reads input, caught": ((), "try: input()\nexcept (OSError, EOFError): pass\nreturn answer"),
    "opens a file": ((), "open('x.txt', 'w').close()\nreturn answer"),
    "starts a process": ((), "import subprocess\nsubprocess.run(['true'])\nreturn answer"),
    "starts a thread": (
        (),
        "import threading\nt = threading.Thread(target=int)\nt.start()\nt.join()\nreturn answer",
    ),
    "changes its arguments": (
        (),
        "for x in given:\n    if isinstance(x, (list, dict, set)):\n"
        "        x.clear()\nreturn answer",
    ),
    "answers with its argument": ((), "return given[0]"),
    "seeds chance": ((), "import random\nrandom.seed(1)\nrandom.random()\nreturn answer"),
    # equality of its own
    "equal to everything": (
        (),
        "class All:\n    def __eq__(self, other): return True\n    __hash__ = None\nreturn All()",
    ),
    "unequal to everything": (
        (list,),
        "class L(list):\n    def __eq__(self, other): return False\n"
        "    __hash__ = None\nreturn L(answer)",
    ),
    "equal by its own rule": (
        (),
        "class Box:\n    def __eq__(self, other): return answer == other\n"
        "    __hash__ = None\nreturn Box()",
    ),
}

# Whole-program forms: {entry}, {source} are put in.
FORMS = {
    "object that is called": "class Caller:\n    def __call__(self, *given): return inner(*given)\n"
    "{entry} = Caller()",
    "lambda": "{entry} = lambda *given: inner(*given)",
    "cached": "import functools\ntry: {entry} = functools.lru_cache(None)(inner)\nfinally: pass",
    "coroutine": "async def {entry}(*given): return inner(*given)",
    "under another name": "del {entry}",
    "syntax error": "def {entry}(:\n    return",
    "raises on import": "raise RuntimeError('no')",
    "leaves on import": "import sys\nsys.exit(0)",
    "ends on import": "import os\nos._exit(0)",
    "prints on import": "print('noise' * 1000)",
    "main guard": "if __name__ == '__main__': raise RuntimeError('no')",
    "keyword arguments only": "def {entry}(**given): return inner(**given)",
    "one argument too few": "def {entry}(): return inner()",
    "missing import": "import no_such_package_here",
    "future import late": "from __future__ import annotations",
}


def behaving(source: str, entry: str, kind: str) -> str:
    """The program with its entry point changed in this way."""
    body = BEHAVIOURS[kind][1]
    indented = "\n".join(f"    {line}" for line in body.split("\n"))
    return (
        f"{source}\n\ninner_{entry} = {entry}\ncalls_before = 0\n\n"
        f"def changed(answer, given, count):\n{indented}\n\n"
        f"def {entry}(*given):\n    global calls_before\n    calls_before += 1\n"
        f"    return changed(inner_{entry}(*given), given, calls_before - 1)\n"
    )


def formed(source: str, entry: str, kind: str) -> str:
    """The program with its entry point put in another form."""
    return f"{source}\n\ninner = {entry}\n{FORMS[kind].replace('{entry}', entry)}\n"


def fits(kind: str, answer: object) -> bool:
    """Whether a behaviour is of interest for this answer; an int is no bool here."""
    kinds = BEHAVIOURS[kind][0]
    return kinds == () or type(answer) in kinds
