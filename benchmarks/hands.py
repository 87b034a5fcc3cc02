"""Measures the hands of bundled models, and writes them beside their weights.

Run from the repository: ``python -m benchmarks.hands [--model small]``. Some 20 minutes for all models;
with ``--model`` the others stay as they are.
"""

import argparse
import json

from workbench.language_model.hands import HANDS_PATH, PIECE, SQUARE
from workbench.language_model.language_model import load_model, model_names
from workbench.studies.language_models.hand_trials import hand_entry


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append", choices=model_names())
    names = parser.parse_args().model or model_names()
    entries = json.loads(HANDS_PATH.read_text(encoding="utf-8")) if HANDS_PATH.exists() else {}
    for name in names:
        entries[name] = hand_entry(load_model(name))
        for kind in (PIECE, SQUARE):
            shown = {
                field: value for field, value in entries[name][kind].items() if field != "means"
            }
            print(f"{name}, {kind}: {shown}", flush=True)
        ordered = {known: entries[known] for known in model_names() if known in entries}
        text = json.dumps(ordered, indent=1, ensure_ascii=False, allow_nan=False)
        HANDS_PATH.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
