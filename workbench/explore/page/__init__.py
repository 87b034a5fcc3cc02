"""The common parts of every widget's page: transport, theme, charts and assets."""
