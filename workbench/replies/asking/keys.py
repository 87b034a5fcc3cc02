"""Keys kept out of what a run writes.

Neither the workbench nor Inspect writes keys down, but a server may repeat one in its message of
refusal, and such messages are logged. So what a run has written is searched before it ends.
"""

import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from workbench.replies.eval_logs import log_entries
from workbench.tables import replacing

REMOVED: Final = b"[key removed]"
_NAME: Final = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_SHORTEST: Final = 8
_OWN_NAMES: Final = ("*.eval", "*.json", "*.jsonl", "process.log")


def keys_in(environment: Mapping[str, str], *others: str | None) -> list[bytes]:
    """Return what must not be written, as bytes, the longest first.

    Args:
        environment: Variables; those called ``..._KEY``, ``..._TOKEN``, ``..._SECRET``,
            ``..._PASSWORD`` or ``..._CREDENTIALS`` count, if they have at least 8 characters.
        others: Keys given otherwise.
    """
    values = {value for name, value in environment.items() if _NAME.search(name)}
    values |= {value for value in others if value}
    found = set()
    for value in values:
        if len(value.strip()) >= _SHORTEST:
            found |= {value.encode(), json.dumps(value)[1:-1].encode()}
    return sorted(found, key=lambda key: (-len(key), key))


def blanked(text: str, keys: Iterable[bytes]) -> str:
    """Return a text without keys.

    Args:
        text: Any.
        keys: As `keys_in` returns them.
    """
    return _without(text.encode(), list(keys)).decode()


def remove_keys(folder: Path, keys: Iterable[bytes]) -> list[Path]:
    """Replace keys in the logs and the journal of a run, and return the files that held any.

    Args:
        folder: The run's; files that the workbench and Inspect write are searched, zips inside.
        keys: As `keys_in` returns them.

    Raises:
        ReplyFileError: If a log is damaged.
    """
    wanted = list(keys)
    paths = sorted({path for name in _OWN_NAMES for path in folder.rglob(name) if path.is_file()})
    return [path for path in paths if wanted and _remove(path, wanted)]


def _remove(path: Path, keys: list[bytes]) -> bool:
    if path.suffix != ".eval":
        text = path.read_bytes()
        if not _holds(text, keys):
            return False
        with replacing(path) as beside:
            beside.write_bytes(_without(text, keys))
        return True
    if not any(_holds(name.encode() + text, keys) for name, text in log_entries(path)):
        return False
    with (
        replacing(path) as beside,
        zipfile.ZipFile(beside, "w", compression=zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, text in log_entries(path):
            archive.writestr(_without(name.encode(), keys).decode(), _without(text, keys))
    return True


def _holds(text: bytes, keys: list[bytes]) -> bool:
    return any(key in text for key in keys)


def _without(text: bytes, keys: list[bytes]) -> bytes:
    for key in keys:
        text = text.replace(key, REMOVED)
    return text
