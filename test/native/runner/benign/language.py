# Ordinary programs. Each header gives the value f() must return, as a Python literal.

#: identity | 5
def f():
    return 5

#: fibonacci | 2880067194370816120
def f():
    a, b = 0, 1
    for _ in range(90):
        a, b = b, a + b
    return a

#: recursion | 120
def f(n=5):
    return 1 if n == 0 else n * f(n - 1)

#: deepRecursion | 900
def f(n=900):
    return 0 if n == 0 else 1 + f(n - 1)

#: raisedRecursionLimit | 5000
import sys
sys.setrecursionlimit(20_000)
def g(n):
    return 0 if n == 0 else 1 + g(n - 1)
def f():
    return g(5000)

#: bigInteger | 1267650600228229401496703205376
def f():
    return 2 ** 100

#: negativeBigInteger | -1000000000000000000000000000000
def f():
    return -(10 ** 30)

#: floats | [0.1, -0.0, 1e300, 3.5]
def f():
    return [0.1, -0.0, 1e300, 7 / 2]

#: complexNumbers | (3+4j)
def f():
    return 3 + 4j

#: mixedTypes | [None, True, False, 1, 1.0, 'a', b'b']
def f():
    return [None, True, False, 1, 1.0, "a", b"b"]

#: nested | {'a': [1, (2, 3)], 'b': {'c': {1, 2}}}
def f():
    return {"a": [1, (2, 3)], "b": {"c": {2, 1}}}

#: dictOrder | {'z': 1, 'a': 2}
def f():
    found = {}
    for key, value in (("z", 1), ("a", 2)):
        found[key] = value
    return found

#: setOperations | {3}
def f():
    return {1, 2, 3} & {3, 4}

#: comprehension | {0: 0, 2: 4, 4: 16}
def f():
    return {n: n * n for n in range(6) if n % 2 == 0}

#: generator | [0, 1, 4, 9]
def squares(limit):
    for n in range(limit):
        yield n * n
def f():
    return list(squares(4))

#: generatorSend | [1, 3, 6]
def totals():
    total = 0
    while True:
        total += yield total
def f():
    running = totals()
    next(running)
    return [running.send(n) for n in (1, 2, 3)]

#: classes | 'Rex says woof'
class Animal:
    def __init__(self, name):
        self.name = name
    def speak(self):
        return f"{self.name} says {self.sound}"
class Dog(Animal):
    sound = "woof"
def f():
    return Dog("Rex").speak()

#: properties | 25.0
class Celsius:
    def __init__(self, value):
        self._value = value
    @property
    def fahrenheit(self):
        return self._value * 9 / 5 + 32
    @fahrenheit.setter
    def fahrenheit(self, value):
        self._value = (value - 32) * 5 / 9
def f():
    c = Celsius(0)
    c.fahrenheit = 77
    return c._value

#: operators | (4, 6)
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)
def f():
    p = Point(1, 2) + Point(3, 4)
    return p.x, p.y

#: closures | [11, 12, 13]
def adder(n):
    return lambda x: x + n
def f():
    return [adder(10)(x) for x in (1, 2, 3)]

#: decorator | 'HELLO'
def loud(function):
    return lambda *a: function(*a).upper()
@loud
def greet():
    return "hello"
def f():
    return greet()

#: tryExceptFinally | ['caught', 'finally']
def f():
    seen = []
    try:
        {}["missing"]
    except KeyError:
        seen.append("caught")
    finally:
        seen.append("finally")
    return seen

#: contextManager | ['in', 'body', 'out']
from contextlib import contextmanager
def f():
    seen = []
    @contextmanager
    def step():
        seen.append("in")
        yield
        seen.append("out")
    with step():
        seen.append("body")
    return seen

#: matchStatement | ['zero', 'pair 3', 'other']
def name(value):
    match value:
        case 0:
            return "zero"
        case (x, y):
            return f"pair {x + y}"
        case _:
            return "other"
def f():
    return [name(0), name((1, 2)), name("x")]

#: walrus | [4, 16]
def f():
    return [square for n in range(5) if (square := n * n) and square % 4 == 0]

#: starArguments | (1, [2, 3], 4)
def f():
    first, *middle, last = 1, 2, 3, 4
    return first, middle, last

#: globalState | 3
count = 0
def bump():
    global count
    count += 1
    return count
def f():
    bump()
    bump()
    return bump()

#: unicode | 'Grüße, 世界 🎉'
def f():
    return "Grüße, " + "世界" + " 🎉"

#: bytesWork | b'\xffabc'
def f():
    return bytes([255]) + "abc".encode()

#: formatting | '  3.14|00042|a-b'
def f():
    return f"{3.14159:6.2f}|{42:05d}|{'-'.join('ab')}"

#: slicing | [[4, 3], 'olleh', [0, 9]]
def f():
    items = list(range(10))
    return [items[4:2:-1], "hello"[::-1], items[::9]]

#: sortingByKey | ['fig', 'kiwi', 'banana']
def f():
    return sorted(["banana", "kiwi", "fig"], key=lambda word: (len(word), word))

#: printing | None
def f():
    print("this goes to the output", 1, 2, sep=", ")

#: evalOfLiteral | 7
def f():
    return eval("3 + 4")

#: asyncFunction | [1, 2]
import asyncio
async def later(n):
    await asyncio.sleep(0)
    return n
async def both():
    return await asyncio.gather(later(1), later(2))
def f():
    return asyncio.run(both())

#: thread | [0, 1, 2, 3]
import threading
def f():
    seen = []
    threads = [threading.Thread(target=seen.append, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(seen)

#: deepThread | 20000
import sys, threading
def g(n):
    return 0 if n == 0 else 1 + g(n - 1)
def f():
    sys.setrecursionlimit(100_000)
    threading.stack_size(64 << 20)
    seen = []
    worker = threading.Thread(target=lambda: seen.append(g(20_000)))
    worker.start()
    worker.join()
    return seen[0]

#: threadPool | [1, 4, 9]
from concurrent.futures import ThreadPoolExecutor
def f():
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda n: n * n, [1, 2, 3]))
