"""What survives a crash: rollout spool, update journal, checkpoints."""
