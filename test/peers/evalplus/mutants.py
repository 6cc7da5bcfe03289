"""Wrong, odd and still right variants of the reference solutions of HumanEval+ and MBPP+.

    python mutants.py SEED PER_TASK humaneval=FILE mbpp=FILE

Prints one JSON object a line, {"id", "dataset", "task", "kind", "program"}, the same for the same
seed. All tasks of HumanEval+ are taken; of MBPP+ a third by number and those with a rule of their
own. Nothing but the standard library, and only reference solutions are executed, on one input each,
to see what type they answer with.
"""

from __future__ import annotations

import copy
import gzip
import json
import random
import sys

from behaviours import BEHAVIOURS, FORMS, behaving, fits, formed
from edits import EDITS, edited

# Entry points of MBPP+ that are not compared by plain equality.
WITH_RULES = {
    "similar_elements",
    "find_char_long",
    "common_in_nested_lists",
    "extract_singly",
    "larg_nnum",
    "intersection_array",
    "find_dissimilar",
    "Diff",
    "check_str",
    "text_match_three",
    "text_starta_endb",
    "are_equivalent",
    "sum_div",
    "surface_Area",
    "digit_distance_nums",
}
# Their references take seconds; what they compare is nothing special.
SLOW = {"HumanEval/139", "Mbpp/599", "Mbpp/255"}
# Each costs its whole time limit in both graders, or long to be told by ours.
COSTLY = {"endless loop": 3, "endless sleep": 3, "huge list": 2}


def tasks_of(dataset: str, path: str) -> list[dict]:
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as file:
        tasks = [json.loads(line) for line in file if line.strip()]

    def is_taken(task: dict) -> bool:
        number = int(task["task_id"].split("/")[1])
        wanted = dataset == "humaneval" or number % 3 == 0 or task["entry_point"] in WITH_RULES
        return wanted and task["task_id"] not in SLOW

    return [task for task in tasks if is_taken(task)]


def answer_of(task: dict) -> object:
    """What the reference answers to its first input, None where it cannot (MBPP's inputs are told
    without their types)."""
    namespace: dict = {}
    exec(task["prompt"] + task["canonical_solution"], namespace)
    try:
        return namespace[task["entry_point"]](*copy.deepcopy(task["base_input"][0]))
    except Exception:  # noqa: BLE001 - a mutant raises what it likes
        return None


class Deck:
    """Kinds in a shuffled order that comes round, so that none is left out for long."""

    def __init__(self, kinds: list[str], chance: random.Random) -> None:
        self._kinds = list(kinds)
        chance.shuffle(self._kinds)
        self._dealt = dict.fromkeys(kinds, 0)

    def deal(self, is_fit) -> str | None:
        fitting = [
            kind
            for kind in self._kinds
            if is_fit(kind) and self._dealt[kind] < COSTLY.get(kind, 1_000_000)
        ]
        if not fitting:
            return None
        least = min(fitting, key=lambda kind: self._dealt[kind])
        self._dealt[least] += 1
        return least


def main() -> None:
    seed, per_task = int(sys.argv[1]), int(sys.argv[2])
    talk, sys.stdout = sys.stdout, sys.stderr  # references may print
    chance = random.Random(seed)
    of_type = [kind for kind, (types, _) in BEHAVIOURS.items() if types]
    of_any = [kind for kind, (types, _) in BEHAVIOURS.items() if not types]
    slips, other = Deck(list(EDITS), chance), Deck([*of_any, *FORMS], chance)
    retyped = Deck(of_type, chance)
    for argument in sys.argv[3:]:
        dataset, _, path = argument.partition("=")
        for task in tasks_of(dataset, path):
            source = task["prompt"] + task["canonical_solution"]
            answer = answer_of(task)
            for turn in range(per_task):
                if turn % 3 == 0:
                    versions: dict[str, str | None] = {}

                    def is_edit(
                        kind: str,
                        source: str = source,
                        versions: dict[str, str | None] = versions,
                    ) -> bool:
                        versions[kind] = edited(source, kind, chance)
                        return versions[kind] is not None

                    kind = slips.deal(is_edit)
                    program = versions.get(kind)
                else:
                    deck = retyped if turn % 3 == 1 else other
                    kind = deck.deal(
                        lambda name, answer=answer: name in FORMS or fits(name, answer)
                    )
                    kind = kind or other.deal(lambda _: True)
                    program = (formed if kind in FORMS else behaving)(
                        source, task["entry_point"], kind
                    )
                if program is None:
                    continue
                row = {
                    "id": f"{task['task_id']}#{turn}",
                    "dataset": dataset,
                    "task": task["task_id"],
                    "kind": kind,
                    "program": program,
                }
                print(json.dumps(row), file=talk, flush=True)


if __name__ == "__main__":
    main()
