"""The figures of the paper and beside it: one file each, ``compute`` to a table, ``draw`` from it."""
