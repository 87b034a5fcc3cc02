"""A description of tables in Croissant, MLCommons' format for data sets (JSON-LD on schema.org).

Source: Croissant Format Specification 1.0, http://mlcommons.org/croissant/1.0.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.reports.exports.column_descriptions import column_description
from workbench.reports.exports.file_names import file_name
from workbench.reports.exports.publication import Publication
from workbench.tables.provenance import file_hash
from workbench.tables.reply_identity import REPLY_KEY

CROISSANT_FILE: Final = "croissant.json"
VERSION: Final = "http://mlcommons.org/croissant/1.0"

_BIBTEX: Final = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "{}&%$#_"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)

_IN_ADDRESS: Final = str.maketrans({"{": "%7B", "}": "%7D", "\\": "%5C"})

_TERMS: Final = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty",
    "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField",
    "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator",
    "source", "subField", "transform",
)  # fmt: skip
_CONTEXT: Final[Mapping[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{term: f"cr:{term}" for term in _TERMS},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}


def croissant(
    tables: Sequence[Path],
    folder: Path,
    title: str,
    description: str,
    publication: Publication,
    date: str = "",
) -> dict[str, Any]:
    """Return the description of tables.

    Args:
        tables: Parquet files in the folder, or in folders of it.
        folder: Where the description will lie.
        title: Title of the data set.
        description: Of the data set.
        publication: Who publishes it; what it leaves open is left out.
        date: When it was created, as ISO 8601; empty if unknown.
    """
    placed = [(path, path.resolve().relative_to(folder.resolve())) for path in tables]
    document: dict[str, Any] = {
        "@context": dict(_CONTEXT),
        "@type": "sc:Dataset",
        "conformsTo": VERSION,
        "name": title,
        "description": description,
        "distribution": [_file(*each) for each in placed],
        "recordSet": [_records(*each) for each in placed],
    }
    if publication.creators:
        document["creator"] = [
            {"@type": "sc:Person", "name": name} for name in publication.creators
        ]
        document["citeAs"] = citation(title, publication)
    if publication.organization:
        document["publisher"] = {"@type": "sc:Organization", "name": publication.organization}
    if publication.license:
        document["license"] = f"https://spdx.org/licenses/{publication.license}.html"
    if publication.url:
        document["url"] = publication.url
    if date:
        document["dateCreated"] = date
    return document


def citation(title: str, publication: Publication) -> str:
    """Return how to cite a data set, as an entry of BibTeX.

    Args:
        title: Of the data set.
        publication: Who publishes it; at least one creator.
    """
    # What has no comma is an organization, whose words are no given and family names.
    authors = [_bibtex(name) for name in publication.creators]
    fields = {
        "author": " and ".join(name if "," in name else f"{{{name}}}" for name in authors),
        "title": f"{{{_bibtex(title)}}}",
        "publisher": _bibtex(publication.organization),
        "url": "".join(publication.url.split()).translate(_IN_ADDRESS),
    }
    lines = "".join(f",\n  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@misc{{world-state-evaluation{lines}\n}}"


def _bibtex(text: str) -> str:
    return " ".join(text.split()).translate(_BIBTEX)


def _file(path: Path, place: PurePath) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": _identifier(place),
        "name": place.name,
        "contentUrl": place.as_posix(),
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": file_hash(path),
    }


def _records(path: Path, place: PurePath) -> dict[str, Any]:
    schema = pq.read_schema(path.absolute())
    name = _identifier(place.with_suffix(""))
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "key": [{"@id": f"{name}/{each}"} for each in REPLY_KEY if each in schema.names],
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column.name}",
                "name": column.name,
                "description": column_description(column.name) or column.name,
                "dataType": _data_type(column.type),
                "source": {
                    "fileObject": {"@id": _identifier(place)},
                    "extract": {"column": column.name},
                },
            }
            for column in schema
        ],
    }


def _identifier(place: PurePath) -> str:
    return "/".join(map(file_name, place.parts))


def _data_type(kind: pa.DataType) -> str:
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
