"""The files beside a report: results, tables and their descriptions in published schemas."""

from workbench.reports.exports.every_eval_ever import read_results
from workbench.reports.exports.export_files import refuse_others_files, write_exports
from workbench.reports.exports.publication import Publication

__all__ = ["Publication", "read_results", "refuse_others_files", "write_exports"]
