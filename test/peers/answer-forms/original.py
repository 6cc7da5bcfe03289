r"""Questions in the original's template, written by the original's own functions.

    python3 original.py CHECKOUT < asks.json > questions.json

CHECKOUT is a clone of Absolute Zero Reasoner, of which two files are read: the functions of
data_construction/prompts.py and the conversation around them, `instruction_following` of
data_construction/process_data.py. An ask has `purpose`, `taskType` and what the question shows; an
answer is a text that ends where the model goes on, and the blocks that the template itself shows.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

PROBLEM = {"abduction": "code_i", "deduction": "code_o", "induction": "code_f"}
FENCE = re.compile(r"```\w*\n(.*?)\n?```", re.DOTALL)


def load(checkout: Path) -> tuple[dict[str, Any], str]:
    folder = checkout / "absolute_zero_reasoner/data_construction"
    functions: dict[str, Any] = {}
    exec(compile((folder / "prompts.py").read_text(), "prompts.py", "exec"), functions)
    # The other file imports what only its own environment has; one string of it is wanted.
    for node in ast.parse((folder / "process_data.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "instruction_following":
            return functions, ast.literal_eval(node.value)
    raise SystemExit(f"{folder}/process_data.py holds no instruction_following.")


def question(functions: dict[str, Any], ask: dict[str, Any]) -> str:
    kind = PROBLEM[ask["taskType"]]
    if ask["purpose"] == "propose":
        return functions["get_code_problem_generator_prompt"](
            problem_type=kind,
            reference_snippets=ask["references"],
            banned_keywords=ask["banned"],
            banned_assertion_keywords=[],
            composite_functions=[],
            num_inputs=ask["inputs"],
        )
    return functions["get_code_problem_predictor_prompt"](
        problem_type=kind,
        snippet=ask["program"],
        input_args=ask["input"],
        output=ask["output"],
        message=ask["message"],
        input_output_pairs=ask["pairs"],
    )


def main() -> None:
    functions, conversation = load(Path(sys.argv[1]))
    answers = []
    for ask in json.load(sys.stdin):
        text = question(functions, ask)
        own = {value for value in ask["shown"] if value}
        shown = [block for block in FENCE.findall(text) if block.strip() not in own]
        answers.append({"text": conversation.format(text), "shown": shown})
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
