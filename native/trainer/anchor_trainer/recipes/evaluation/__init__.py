"""Held-out suites, restricted grading and the measures of the model cards."""
