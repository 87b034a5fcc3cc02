"""The tables between the stages: their schemas, files, parts, provenance and identity of rows."""
