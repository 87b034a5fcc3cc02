"""The files beside a report: results, tables and their descriptions in published schemas."""

from workbench.reports.exports.every_eval_ever import read_results
from workbench.reports.exports.export_files import write_exports
from workbench.reports.exports.publication import Publication

__all__ = ["Publication", "read_results", "write_exports"]
