"""The estimators of p_m, one algorithm a file, all under the contract of `contract.py`."""
