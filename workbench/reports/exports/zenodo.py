"""The metadata of a deposit on Zenodo, which reads them from ``.zenodo.json``.

Source: the attributes of a deposit in https://developers.zenodo.org, section Representation.
"""

import html
from collections.abc import Sequence
from typing import Any, Final

from workbench.reports.exports.publication import Publication

ZENODO_FILE: Final = ".zenodo.json"
PAPER: Final = "arXiv:2508.19851"
"""The paper whose measures the workbench computes."""


def zenodo_metadata(
    title: str, description: str, keywords: Sequence[str], publication: Publication, version: str
) -> dict[str, Any]:
    """Return the metadata of a deposit.

    Creators and license are left out where they are unknown: Zenodo asks for them.

    Args:
        title: Title of the deposit.
        description: As plain text, with empty lines between paragraphs.
        keywords: To find it by.
        publication: Who publishes it.
        version: Of the workbench that made the scores; empty if unknown.
    """
    escaped = html.escape(description, quote=False)
    paragraphs = [part.replace("\n", "<br>") for part in escaped.split("\n\n")]
    metadata: dict[str, Any] = {
        "title": title,
        "upload_type": "dataset",
        "description": "".join(f"<p>{part}</p>" for part in paragraphs),
        "keywords": list(keywords),
        "related_identifiers": [
            {"identifier": PAPER, "relation": "cites", "resource_type": "publication-preprint"}
        ],
    }
    if version:
        metadata["notes"] = f"Scores made with the World-State Workbench {version}."
    if publication.creators:
        metadata["creators"] = [{"name": name} for name in publication.creators]
        if publication.organization:
            for creator in metadata["creators"]:
                creator["affiliation"] = publication.organization
    if publication.license:
        metadata |= {"access_right": "open", "license": publication.license}
    return metadata
