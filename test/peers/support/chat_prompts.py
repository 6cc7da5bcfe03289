"""Chat prompts that all compared programs are given."""

from __future__ import annotations

Messages = list[dict[str, str]]


def prompts_of(count: int, longest: int = 8) -> list[Messages]:
    """Deduction tasks of one to `longest` statements, in the words the embedded policy knows."""
    tasks = []
    for number in range(count):
        statements = range(1 + number % longest)
        lines = "".join(f" x=x*{2 + (number + at) % 3}-{at}\n" for at in statements)
        question = f"Deduce the output.\ndef f(x):\n{lines} return x\nf({number + 2})=?"
        tasks.append(
            [
                {"role": "system", "content": "You are the solver."},
                {"role": "user", "content": question},
            ]
        )
    return tasks
