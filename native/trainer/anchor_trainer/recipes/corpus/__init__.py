"""The toy world: programs, tasks, conduct, and the text that trains the embedded models."""
