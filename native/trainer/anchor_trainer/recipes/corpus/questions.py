"""Questions of arithmetic for R-Zero: what a challenger asks, and how a solver answers with a box.

A question is one expression in one of a few wordings, so a program can compute its answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from .programs import held_out
from .prompts import END_OF_TURN, chat, question_system_text, render
from .samples import Sample, draw_keys, lines_of, traces

OPERATIONS = (1, 2, 3, 4)
# How many operations a challenger's question has by habit: it begins with what its solver knows.
ASKED = (0.42, 0.30, 0.18, 0.10)
HARD = 3  # operations of a question that is asked for as harder, at least
USUAL, UNUSUAL = (2, 20), (21, 60)
FACTORS = (2, 9)
LARGEST_VALUE = 400
USUAL_WORDINGS = ("Compute {}.",)
UNUSUAL_WORDINGS = ("What is {}?", "Find the value of {}.")
USUAL_WORDING_SHARE = 0.8
HELD_OUT_QUESTIONS = 8
# Less often than elsewhere: what a solver is unsure of is what a challenger is paid for.
TRACES_UNTOLD = 0.4
_PRECEDENCE = {"+": 1, "-": 1, "*": 2}

Node = int | tuple[str, "Node", "Node"]


@dataclass(frozen=True)
class Expression:
    """`steps` in the order of computing, as `4+5=9`; the last one ends with `value`."""

    text: str
    steps: tuple[str, ...]
    operators: tuple[str, ...]
    value: int


@dataclass(frozen=True)
class Sum:
    """A question as it is asked, and the expression in it."""

    text: str
    expression: Expression


def _tree(rng: Random, operations: int, numbers: tuple[int, int]) -> Node:
    if operations == 0:
        return rng.randint(*numbers)
    left = rng.randint(0, operations - 1)
    operator = rng.choice("++--*")
    parts = (_tree(rng, left, numbers), _tree(rng, operations - 1 - left, numbers))
    if operator == "*" and isinstance(parts[1], int):
        parts = (parts[0], rng.randint(*FACTORS))
    return (operator, *parts)


def _computed(node: Node, steps: list[str], operators: list[str]) -> int:
    if isinstance(node, int):
        return node
    operator, *parts = node
    left, right = (_computed(part, steps, operators) for part in parts)
    value = {"+": left + right, "-": left - right, "*": left * right}[operator]
    steps.append(f"{left}{operator}{right}={value}")
    operators.append(operator)
    if not 0 <= value <= LARGEST_VALUE:
        raise ValueError("a value outside the toy world")
    return value


def _written(node: Node, least: int = 0) -> str:
    """With as few parentheses as keep the order; `least` is the precedence that needs none."""
    if isinstance(node, int):
        return str(node)
    operator, left, right = node
    own = _PRECEDENCE[operator]
    text = f"{_written(left, own)}{operator}{_written(right, own + 1)}"
    return f"({text})" if own < least else text


def random_expression(rng: Random, operations: int, numbers: tuple[int, int]) -> Expression:
    """An expression whose values all lie in 0 to LARGEST_VALUE."""
    while True:
        node = _tree(rng, operations, numbers)
        steps: list[str] = []
        operators: list[str] = []
        try:
            value = _computed(node, steps, operators)
        except ValueError:
            continue
        return Expression(_written(node), tuple(steps), tuple(operators), value)


def random_sum(
    rng: Random, operations: int, *, unusual: bool | None = None, held: bool = False
) -> Sum:
    """A question of so many operations; `unusual` (None: mostly not) in numbers and wording."""
    while True:
        rare = rng.random() >= USUAL_WORDING_SHARE if unusual is None else unusual
        expression = random_expression(rng, operations, UNUSUAL if rare else USUAL)
        text = rng.choice(UNUSUAL_WORDINGS if rare else USUAL_WORDINGS).format(expression.text)
        if held_out(text, HELD_OUT_QUESTIONS) == held:
            return Sum(text, expression)


def worked(expression: Expression) -> str:
    """The plan, which is the operators in order, and a line a step."""
    plan = ",".join(expression.operators)
    first, *others = expression.steps
    return "\n".join([f"{plan}:", f"first {first}", *(f"then {step}" for step in others)])


def boxed(value: int | str) -> str:
    return f"\\boxed{{{value}}}"


def _prompt(rng: Random, role: str, keys: list[str], user: str) -> str:
    return chat(question_system_text(role, lines_of(rng, keys)), user)


def operations_of(rng: Random, keys: list[str]) -> int:
    """How many operations a challenger's question has under these lines."""
    if "harder" in keys:
        return rng.choice([count for count in OPERATIONS if count >= HARD])
    if "simpler" in keys or "acclow" in keys:
        return 1
    return rng.choices(OPERATIONS, ASKED)[0]


def question_proposal(rng: Random) -> Sample:
    keys = draw_keys(rng, "proposer")
    asked = random_sum(rng, operations_of(rng, keys), unusual=True if "differ" in keys else None)
    lines = worked(asked.expression).split("\n", 1)[1]
    completion = (
        f"<question>{asked.text}</question>\n{lines}\n{boxed(asked.expression.value)}{END_OF_TURN}"
    )
    user = render("propose-question")
    return Sample("question", _prompt(rng, "proposer", keys, user), completion, tuple(keys))


def question_answer(rng: Random) -> Sample:
    keys = draw_keys(rng, "solver")
    asked = random_sum(rng, rng.choice(OPERATIONS), unusual=rng.random() < 0.5)
    expression = asked.expression
    steps = worked(expression) if traces(rng, keys, TRACES_UNTOLD) else "direct"
    return Sample(
        "answer",
        _prompt(rng, "solver", keys, render("solve-question", question=asked.text)),
        f"{steps}\n{boxed(expression.value)}{END_OF_TURN}",
        tuple(keys),
    )
