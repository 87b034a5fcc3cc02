"""The files beside a report: results, tables and their descriptions in published schemas."""

from workbench.reports.exports.every_eval_ever import Publication, read_results
from workbench.reports.exports.export_files import refuse_others_files, write_exports

__all__ = ["Publication", "read_results", "refuse_others_files", "write_exports"]
