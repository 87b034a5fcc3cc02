"""Rows of a predictions table, from a true state and a reply."""

from workbench.environments.chess.classification import classify


def prediction_row(index, true_state, reply, group=5):
    found = classify(reply)
    return {
        "position_id": f"game{index:03d}-002",
        "environment": "chess",
        "game_id": f"game{index:03d}",
        "source": "by hand",
        "group": group,
        "ply": 2 * group,
        "game_plies": 80,
        "initial_state": "",
        "movetext": "1. e4",
        "moves": "e2e4",
        "true_state": true_state,
        "set": "",
        "task": "state",
        "model": "by hand",
        "setting": "",
        "sample": 0,
        "reply": reply,
        "predicted_state": found.predicted_state,
        "reply_class": str(found.reply_class),
        "status": " ".join(found.status),
        "reason": found.reason,
    }
