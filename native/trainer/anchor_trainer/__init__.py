"""The policy process of Anchor Lab: tokens, sampling, log-probabilities, gradients, checkpoints.

Started as ``python -m anchor_trainer``; speaks JSON-RPC 2.0, one JSON object per line, on its
standard streams. Everything algorithmic above the level of a logit (rewards, advantages, gates)
stays in the engine; everything that touches a logit lives here.
"""

__version__ = "1.0.0"
