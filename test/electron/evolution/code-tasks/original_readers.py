"""What Absolute Zero's own readers make of some answers: records `original-readers.json`.

    python original_readers.py CHECKOUT > original-readers.json

of LeapLabTHU/Absolute-Zero-Reasoner at a82124e. Its functions are taken out of their modules, which
import what they do not need.
"""

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

PROGRAM = "def f(x):\n    return x"
ANSWERS = [
    f"```python\n{PROGRAM}\n```\n```input\n1\n```",
    f"```input\n1\n```\n```python\n{PROGRAM}\n```",
    f"```py\n{PROGRAM}\n```\n```input\n1\n```",
    f"Program: ```python\n{PROGRAM}\n``` and ```input\n[1,\n 2]\n```",
    f"```python\n{PROGRAM}\n```\n```input\n```",
    f"```python\n{PROGRAM}\n```\n```input```",
    f"```python\n{PROGRAM}\n```\n```input 5```",
    f"```\n{PROGRAM}\n```\n# Input: [1,\n2,\n3]\n```\nend",
    f"```python\n{PROGRAM}\n```\n# Input: 5\n\nmore words",
    f"```python\n{PROGRAM}\n```\n#Input: 5",
    f"```python\n{PROGRAM}\n```\n# input:\n5\n",
    f"```python\n    {PROGRAM}\n```\n```INPUT\n 7 \n```",
    "```python\nx = 1\n```\n```input\n1\n```",
    f"```python\n{PROGRAM}\n```",
    f"{PROGRAM}\n# Input: 1",
    "```input\n1\n```\n```input\n2\n```\n```message\nSay it.\n```",
    "```input\n1\n```\n```input\n```\n```message\n\n```",
    "a ```input 1``` b ```input 2``` c <message> Say\nit. </message>",
    "```input\n1\n```\n```input\n2\n```\n# Message: Say it.\n\nAnd more.\n```\nnot this",
    "```input\n1\n```\n```input\n2\n```\n# Message: Say it.\n",
    "```input\n1\n```\n```message\nOne is too few.\n```",
    "```input\n1\n```\n```input\n2\n```\nno message",
    "```output\n[1, 2]\n```",
    "so ```output [1]``` and ```output\n[2]\n```",
    "```output```",
    "```python\n[1, 2]\n```",
    "# Output: [1,\n 2]\n",
    "# Output: 1\n# Output: 2\nwords",
    "#  Output: 1",
    "process_output(3) is it",
    "output (4) or output(5)",
    "output(f(6))",
    "<output> 7 </output>",
    "<OUTPUT>8",
    "The output is 9.",
    "The output is: 9.",
    "the output is\n10\nor so.",
    "the output is 1 and the output is 2.\n",
    "nothing of the kind",
    "  'quoted'  ",
    "```input\n5\n``` ```output\n6\n```",
    "process_input(11)",
    "the input is 'a.b'.",
    f"first ```python\n{PROGRAM}\n``` then ```\ndef f(y):\n    return 2\n```",
    "```python\n    def f(x):\n        return x\n```",
    "``````",
    "```PYTHON def f(x): return x```",
]  # fmt: skip


def taken(path: Path, names: tuple[str, ...]) -> dict[str, Any]:
    """These functions of a module, by name, without the rest of it."""
    names_of_types = {"Any": Any, "Dict": dict, "List": list, "Tuple": tuple}
    found: dict[str, Any] = {"re": re, "parse_imports": lambda _: [], **names_of_types}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name in names:
            node.decorator_list = []
            exec(compile(ast.Module([node], []), str(path), "exec"), found)
    return found


def main(checkout: Path) -> None:
    rewards = checkout / "absolute_zero_reasoner" / "rewards"
    code = taken(
        rewards / "code_reward.py",
        ("parse_code_input_output", "parse_inputs_message", "parse_code_function"),
    )
    managers = taken(rewards / "reward_managers.py", ("extract_input_output",))
    literal = managers["extract_input_output"]
    rows = []
    for answer in ANSWERS:
        told, parts = code["parse_code_input_output"](answer, parse_output=False)
        asked, problem = code["parse_inputs_message"](answer, 2)
        written, program = code["parse_code_function"](answer)
        rows.append(
            {
                "answer": answer,
                "triplet": [parts["code"], parts["input"]] if told else None,
                "problem": [problem["inputs"], problem["message"]] if asked else None,
                "program": program if written else None,
                "input": literal(answer),
                "output": literal(answer, False, True),
            }
        )
    json.dump(rows, sys.stdout, indent=1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
