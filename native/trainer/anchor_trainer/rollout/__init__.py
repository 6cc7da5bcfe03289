"""Sampling from the policy: noise, key/value slots, decoding, and the continuous batch."""
