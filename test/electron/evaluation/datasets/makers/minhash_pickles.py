"""Writes pickles as datasketch 1.6 writes lists of MinHash objects.

    python minhash_pickles.py FOLDER NAME=WORDS|WORDS...

One NAME per file; "|" separates windows. The class of that name here has datasketch's fields and
its arithmetic, so that the library itself is not needed.
"""

import pickle
import struct
import sys
import types
from hashlib import sha1
from pathlib import Path

import numpy as np

PRIME = np.uint64((1 << 61) - 1)
BITS = np.uint64((1 << 32) - 1)


def sha1_hash32(data: bytes) -> int:
    return struct.unpack("<I", sha1(data).digest()[:4])[0]


class MinHash:
    def __init__(self) -> None:
        self.seed, self.num_perm, self.hashfunc = 1, 128, sha1_hash32
        self.hashvalues = np.ones(128, dtype=np.uint64) * BITS
        drawn = np.random.RandomState(1)
        pairs = [
            (drawn.randint(1, PRIME, dtype=np.uint64), drawn.randint(0, PRIME, dtype=np.uint64))
            for _ in range(128)
        ]
        self.permutations = np.array(pairs, dtype=np.uint64).T

    def update(self, word: bytes) -> None:
        a, b = self.permutations
        values = np.bitwise_and((a * self.hashfunc(word) + b) % PRIME, BITS)
        self.hashvalues = np.minimum(values, self.hashvalues)


def as_if_in(name: str, thing: type | types.FunctionType) -> None:
    module = sys.modules.setdefault(name, types.ModuleType(name))
    setattr(module, thing.__name__, thing)
    thing.__module__ = name


def hashed(words: str) -> MinHash:
    made = MinHash()
    for word in words.split():
        made.update(word.encode())
    return made


def main() -> None:
    as_if_in("datasketch", types.FunctionType(compile("0", "", "eval"), {}, "none"))
    as_if_in("datasketch.minhash", MinHash)
    as_if_in("datasketch.hashfunc", sha1_hash32)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for argument in sys.argv[2:]:
        name, _, windows = argument.partition("=")
        made = [hashed(words) for words in windows.split("|")]
        (folder / f"{name}.pkl").write_bytes(pickle.dumps(made, protocol=4))


main()
