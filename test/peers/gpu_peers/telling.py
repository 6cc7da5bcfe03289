"""The figures of all cases as a table for people."""

from __future__ import annotations

from typing import Any


def table(told: dict[str, Any], names: list[str]) -> str:
    """Markdown, a row a program and case; seconds are medians, ratios are to ours."""
    lines = [
        f"{told['card']}, {told['date']}",
        "",
        "| model, method, lengths | program | step s | times ours | rollouts s | times ours "
        "| update s | times ours | other s | peak GB |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    notes = []
    for case, one in told["cases"].items():
        found = one["programs"]
        ours = found.get("ours", {"failed": ""})
        for name in names:
            if name not in found:
                why = one["refused"].get(name, "it has no environment or was not asked")
                notes.append(f"{case}: {name} was left out: {why}.")
            elif found[name]["failed"] is not None:
                notes.append(f"{case}: {name} failed: {found[name]['failed']}.")
            else:
                lines.append(f"| {case} | {name} | {_cells(found[name], ours)} |")
    return "\n".join([*lines, "", *notes])


def _cells(one: dict[str, Any], ours: dict[str, Any]) -> str:
    cells = []
    for part in ("step", "rollouts", "update"):
        cells.append(f"{one[part]:.3g}")
        cells.append(f"{one[part] / ours[part]:.2f}" if ours["failed"] is None else "-")
    cells.append(f"{one['other']:.3g}")
    cells.append("-" if one["peakBytes"] is None else f"{one['peakBytes'] / 1e9:.1f}")
    return " | ".join(cells)
