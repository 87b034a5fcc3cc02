"""The explorer and the run browser as web pages without code, served by Voila (extra ``app``)."""
