"""Recomputes what a lab stored, by rules of its own. See docs/verify.md."""
