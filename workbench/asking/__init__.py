"""Asking models through Inspect AI, the optional extra ``ask``, in a separate process.

`workbench.asking.resumable_run` is the way in. Only ``inspect_process``, ``inspect_registry``,
``inspect_task``, ``session`` and ``own_models.inspect_provider`` import Inspect; the others read its logs and prepare
its runs without it.
"""
