"""The supervisor: raw agent outputs with injected defects, records made of them, fine-tuning."""
