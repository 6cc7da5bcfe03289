"""Tokenizer, lean training model, optimizers and the training loop of the embedded models."""
