"""Probes: what can be read linearly from the hidden states of a language model."""
