"""What a table is, whether it is whole, and what is odd in it."""

from workbench.checking.report import Oddity, TableReport
from workbench.checking.table_check import check_table

__all__ = ["Oddity", "TableReport", "check_table"]
