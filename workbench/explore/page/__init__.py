"""What every widget's page shares: transport, theme, charts and assets."""
