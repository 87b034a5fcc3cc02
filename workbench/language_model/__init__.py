"""A small language model of chess games that runs on numpy alone: it reads moves and writes FENs."""
