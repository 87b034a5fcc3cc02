"""Repeated runs of the estimators on one pair."""
