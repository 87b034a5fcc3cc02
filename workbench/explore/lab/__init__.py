"""The estimators run again and again on one pair."""
