"""Turning advantages into new weights: packing, loss, optimizer, the update itself."""
