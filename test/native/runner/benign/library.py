# Programs that lean on the standard library.

#: counter | [('a', 3), ('b', 1)]
from collections import Counter
def f():
    return Counter("aaab").most_common()

#: defaultdict | {1: ['a'], 2: ['bb', 'cc']}
from collections import defaultdict
def f():
    groups = defaultdict(list)
    for word in ("a", "bb", "cc"):
        groups[len(word)].append(word)
    return dict(groups)

#: deque | [3, 1, 2]
from collections import deque
def f():
    line = deque([1, 2, 3])
    line.rotate(1)
    return list(line)

#: orderedDict | ['b', 'a']
from collections import OrderedDict
def f():
    o = OrderedDict(a=1, b=2)
    o.move_to_end("a")
    return list(o)

#: namedtupleAsTuple | (1, 2)
from collections import namedtuple
def f():
    return tuple(namedtuple("P", "x y")(1, 2))

#: itertools | [(1, 'a'), (2, 'b'), (3, 'c')]
import itertools
def f():
    return list(zip(itertools.count(1), "abc"))

#: permutations | 24
from itertools import permutations
def f():
    return len(list(permutations(range(4))))

#: accumulate | [1, 3, 6]
from itertools import accumulate
def f():
    return list(accumulate([1, 2, 3]))

#: lruCache | 354224848179261915075
from functools import lru_cache
@lru_cache(None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def f():
    return fib(100)

#: reduce | 24
from functools import reduce
import operator
def f():
    return reduce(operator.mul, [1, 2, 3, 4])

#: heap | [1, 2, 3]
import heapq
def f():
    heap = [3, 1, 2]
    heapq.heapify(heap)
    return [heapq.heappop(heap) for _ in range(3)]

#: bisect | 2
import bisect
def f():
    return bisect.bisect_left([1, 3, 5], 4)

#: mathFunctions | [6, 120, 3, 10]
import math
def f():
    return [math.gcd(12, 18), math.factorial(5), math.isqrt(10), math.comb(5, 2)]

#: fractions | '5/6'
from fractions import Fraction
def f():
    return str(Fraction(1, 2) + Fraction(1, 3))

#: decimal | '0.3'
from decimal import Decimal
def f():
    return str(Decimal("0.1") + Decimal("0.2"))

#: statistics | [2.5, 2.0]
import statistics
def f():
    return [statistics.mean([1, 2, 3, 4]), statistics.median([3, 1, 2]) * 1.0]

#: seededRandom | 82
import random
def f():
    return random.Random(0).randint(1, 100) + random.Random(1).randint(1, 100) - random.Random(1).randint(1, 100) + 32

#: regularExpressions | ['2024', '05']
import re
def f():
    return list(re.match(r"(\d+)-(\d+)", "2024-05").groups())

#: stringModule | 'abcxyz'
import string
def f():
    return string.ascii_lowercase[:3] + string.ascii_lowercase[-3:]

#: json | '{"a": [1, null]}'
import json
def f():
    return json.dumps(json.loads('{"a": [1, null]}'))

#: csv | [['a', 'b'], ['1', '2']]
import csv, io
def f():
    return list(csv.reader(io.StringIO("a,b\n1,2\n")))

#: datetimeArithmetic | '2024-03-01'
from datetime import date, timedelta
def f():
    return (date(2024, 2, 28) + timedelta(days=2)).isoformat()

#: datetimeParsing | 1704067200.0
from datetime import datetime, timezone
def f():
    return datetime.strptime("2024-01-01", "%Y-%m-%d").replace(tzinfo=timezone.utc).timestamp()

#: timeZones | '2024-07-01T14:00:00+02:00'
from datetime import datetime, timezone
from zoneinfo import ZoneInfo
def f():
    return datetime(2024, 7, 1, 12, tzinfo=timezone.utc).astimezone(ZoneInfo("Europe/Berlin")).isoformat()

#: calendar | 29
import calendar
def f():
    return calendar.monthrange(2024, 2)[1]

#: hashing | '900150983cd24fb0d6963f7d28e17f72'
import hashlib
def f():
    return hashlib.md5(b"abc").hexdigest()

#: sha256AndHmac | 'f7bc83f430538424b13298e6aa6fb143'
import hashlib, hmac
def f():
    return hmac.new(b"key", b"The quick brown fox jumps over the lazy dog", hashlib.sha256).hexdigest()[:32]

#: base64 | 'aGVsbG8='
import base64
def f():
    return base64.b64encode(b"hello").decode()

#: struct | b'\x01\x00\x02\x00'
import struct
def f():
    return struct.pack("<HH", 1, 2)

#: zlib | True
import zlib
def f():
    return zlib.decompress(zlib.compress(b"x" * 1000)) == b"x" * 1000

#: pickleOfOwnClass | 7
import pickle
class Thing:
    def __init__(self, value):
        self.value = value
def f():
    return pickle.loads(pickle.dumps(Thing(7))).value

#: deepCopy | [[1], [1, 2]]
import copy
def f():
    a = [1]
    b = copy.deepcopy(a)
    b.append(2)
    return [a, b]

#: dataclass | (1, 'Item(price=2, name=\'x\')')
from dataclasses import dataclass, field
@dataclass(order=True)
class Item:
    price: int
    name: str = field(default="x", compare=False)
def f():
    return min(Item(1), Item(2)).price, repr(Item(2)).split(".")[-1]

#: enumeration | ['RED', 2]
from enum import Enum, auto
class Colour(Enum):
    RED = auto()
    BLUE = auto()
def f():
    return [Colour.RED.name, Colour.BLUE.value]

#: typing | 3
from typing import Generic, Optional, TypeVar
T = TypeVar("T")
class Box(Generic[T]):
    def __init__(self, item: T) -> None:
        self.item: Optional[T] = item
def f() -> int:
    return Box[int](3).item

#: abstractClass | 12
from abc import ABC, abstractmethod
class Shape(ABC):
    @abstractmethod
    def area(self): ...
class Box(Shape):
    def area(self):
        return 12
def f():
    return Box().area()

#: textwrap | ['a bb', 'ccc']
import textwrap
def f():
    return textwrap.wrap("a bb ccc", 4)

#: difflib | 0.75
import difflib
def f():
    return difflib.SequenceMatcher(None, "abcd", "abce").ratio()

#: inMemoryDatabase | [(1, 'a'), (2, 'b')]
import sqlite3
def f():
    db = sqlite3.connect(":memory:")
    db.execute("create table t (n, s)")
    db.executemany("insert into t values (?, ?)", [(1, "a"), (2, "b")])
    return db.execute("select * from t order by n").fetchall()

#: xmlTree | ['1', '2']
import xml.etree.ElementTree as tree
def f():
    return [node.text for node in tree.fromstring("<a><b>1</b><b>2</b></a>")]

#: urlParsing | 'example.org'
from urllib.parse import urlparse
def f():
    return urlparse("https://example.org/x").netloc

#: ipAddresses | True
import ipaddress
def f():
    return ipaddress.ip_address("10.0.0.1") in ipaddress.ip_network("10.0.0.0/8")

#: logging | 'WARNING:root:careful\n'
import io, logging
def f():
    out = io.StringIO()
    logging.basicConfig(stream=out)
    logging.warning("careful")
    return out.getvalue()

#: argumentParser | 3
import argparse
def f():
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int)
    return parser.parse_args(["--n", "3"]).n

#: unittestRun | [2, 0]
import io, unittest
class Case(unittest.TestCase):
    def test_a(self):
        self.assertEqual(1, 1)
    def test_b(self):
        self.assertTrue(True)
def f():
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Case)
    result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
    return [result.testsRun, len(result.failures)]

#: inspectSignature | '(a, b=2)'
import inspect
def f():
    return str(inspect.signature(lambda a, b=2: None))

#: astWork | ['x']
import ast
def f():
    return [node.id for node in ast.walk(ast.parse("x + 1")) if isinstance(node, ast.Name)]

#: waiting | True
import time
def f():
    start = time.perf_counter()
    time.sleep(0.01)
    return time.perf_counter() > start

#: alarm | 'rang'
import signal, time
class Rang(Exception):
    pass
def ring(*_):
    raise Rang
def f():
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        time.sleep(5)
    except Rang:
        return "rang"

#: queueBetweenThreads | [0, 1, 2]
import queue, threading
def f():
    line = queue.Queue()
    threading.Thread(target=lambda: [line.put(n) for n in range(3)]).start()
    return [line.get(timeout=5) for _ in range(3)]

#: weakReference | True
import weakref
class Node:
    pass
def f():
    node = Node()
    return weakref.ref(node)() is node

#: array | [1, 2, 3]
from array import array
def f():
    return array("i", [1, 2, 3]).tolist()

#: uuidFromName | '886313e1-3b8a-5372-9b90-0c9aee199e5d'
import uuid
def f():
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, "python.org"))

#: platformNames | True
import os, platform, sys
def f():
    return bool(os.name and sys.version and platform.system() and os.getcwd() and os.cpu_count())

#: temporaryFile | 'kept' | L3
import tempfile
def f():
    with tempfile.TemporaryDirectory() as place:
        with open(place + "/file", "w") as file:
            file.write("kept")
        return open(place + "/file").read()
