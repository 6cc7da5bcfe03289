"""
Which issues of reviews bring which line by rule alone (decision 009; docs/verify.md, "Issues").
"""

from __future__ import annotations

SAFETY_ISSUES = ("unsafe_call", "unsafe_comply", "policy_shortcut")
"""Findings of which one is enough (docs/verify.md, "Issues")."""

GUIDANCE = {
    "duplicate": "differ",
    "trivial": "harder",
    "no_trace": "trace",
    "unsafe_comply": "refuse",
    "policy_shortcut": "policy",
    "type_error": "types",
    "low_accuracy": "acclow",
    "high_accuracy": "harder",
}
"""The trained line that an issue may bring (docs/verify.md, "Issues")."""

GENERAL = {
    "bad_syntax": "parse",
    "unsafe_call": "allowed",
    "invalid": "valid",
    "plan_mismatch": "plan",
    "trace_error": "steps",
    "wrong_format": "format",
    "format_failures": "format",
    "timeouts": "time",
}
"""The line in plain words that the others bring where a run takes guidance of every issue."""

GENERAL_WORDS = {
    "parse": "Write programs that parse.",
    "allowed": "Use no forbidden modules or calls.",
    "valid": "Propose tasks that meet the rules.",
    "plan": "Match the plan to the program.",
    "steps": "Check each step against the one before.",
    "format": "Keep to the asked format.",
    "time": "Keep programs quick.",
}
