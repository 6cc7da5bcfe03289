"""Ordinary programs run as they do without a sandbox: no false alarms."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from client import Broker
from inside.encode import encode_frame


def _load() -> list[tuple[str, str, object, str]]:
    found = []
    for path in sorted((Path(__file__).parent / "benign").glob("*.py")):
        for part in ("\n" + path.read_text()).split("\n#: ")[1:]:
            header, _, program = part.partition("\n")
            name, value, *only = header.split(" | ")
            found.append((name, program, ast.literal_eval(value), only[0] if only else ""))
    return found


BENIGN = _load()


def test_the_benign_corpus_is_large_enough() -> None:
    assert len(BENIGN) >= 60


@pytest.mark.parametrize("name,program,value,only", BENIGN, ids=[case[0] for case in BENIGN])
def test_a_benign_program_is_left_alone(
    broker: Broker, level: str, name: str, program: str, value: object, only: str
) -> None:
    result = broker.run(program)
    if only and level not in only:
        # L2 has no writable folder: it cannot give a job one that disappears with it.
        assert result["calls"][0]["status"] == "error"
        return
    assert result["calls"] == [{"status": "ok", "value": json.loads(encode_frame(value))}], result


def test_output_is_captured_apart_from_the_answer(broker: Broker) -> None:
    result = broker.run("import sys\ndef f():\n    print('out')\n    print('err', file=sys.stderr)")
    assert (result["stdout"], result["stderr"]) == ("out\n", "err\n")


def test_a_script_reads_its_input_and_may_end_itself(broker: Broker) -> None:
    program = (
        "import sys\nif __name__ == '__main__':\n"
        "    print(int(input()) * 2, sys.stdin.read())\n    sys.exit(0)"
    )
    result = broker.ask("run", program=program, calls=[], main=True, stdin="21\nrest")
    assert (result["status"], result["stdout"]) == ("ok", "42 rest\n")


def test_a_main_block_is_not_run_when_a_function_is_wanted(broker: Broker) -> None:
    result = broker.run("def f():\n    return 1\nif __name__ == '__main__':\n    input()")
    assert result["status"] == "ok"
