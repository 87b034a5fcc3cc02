"""The studies: one file each, with ``compute`` to a table and ``draw`` to a figure."""
