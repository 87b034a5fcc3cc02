"""What the compiled kernel gains, measured: ``python -m benchmarks`` writes README.md here."""
