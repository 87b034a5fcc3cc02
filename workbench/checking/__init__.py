"""Validation of a table: its type, its integrity, its anomalies."""

from workbench.checking.row_checks import Oddity, TableReport
from workbench.checking.table_check import check_table

__all__ = ["Oddity", "TableReport", "check_table"]
