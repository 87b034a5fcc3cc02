"""From a model's name to a report: the stages in one resumable call."""
