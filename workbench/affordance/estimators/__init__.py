"""The estimators of p_m, one algorithm per file, all with the contract of `contract.py`."""
