"""Who publishes a run and under which terms: what no table of the run knows."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Publication:
    """What the published files of a run say about its publisher.

    Attributes:
        creators: Names of people, as ``Family, Given``, or of organizations.
        organization: The organization that made the evaluation.
        license: Of the tables, as SPDX names it, such as ``CC-BY-4.0``.
        url: The page where the run is published.
    """

    creators: tuple[str, ...] = ()
    organization: str = ""
    license: str = ""
    url: str = ""

    def left_open(self) -> list[str]:
        """Return what the files leave out or call unknown, and where it belongs."""
        places = {
            "creators": "creators: .zenodo.json (creators), croissant.json (creator, citeAs)",
            "organization": (
                "organization: results.json (source_metadata.source_organization_name, and there "
                "evaluator_relationship)"
            ),
            "license": "license: .zenodo.json (license), croissant.json (license)",
            "url": "url: croissant.json (url)",
        }
        always = "date and version of the publication: croissant.json (datePublished, version)"
        return [*(place for name, place in places.items() if not getattr(self, name)), always]
