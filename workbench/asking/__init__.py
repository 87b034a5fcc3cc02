"""Asking models through Inspect AI, the optional extra ``ask``, in a separate process.

`workbench.asking.resumable_run` is the way in. Only ``registry``, ``task``, ``simulated_model`` and
``process`` import Inspect; the others read its logs and prepare its runs without it.
"""
