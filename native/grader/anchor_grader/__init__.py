"""Equality of mathematical answers by math-verify.

It compares one pair at a time, in a process that may be killed at any moment.

The process keeps nothing between pairs: whoever started it may end it and start another without
losing more than the pair that was being compared.
"""

__version__ = "1.0.0"
