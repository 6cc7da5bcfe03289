"""A language model on disk and in memory: configuration, weights, tokenizer, forward pass."""
