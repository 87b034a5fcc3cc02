"""Replies of models: logs of others, recorded replies, and a simulated tracker's."""
