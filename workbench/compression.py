"""Zstandard, also in zip files: from the standard library since Python 3.14, else its backport."""

import sys

if sys.version_info >= (3, 14):
    import zipfile as zipfile

    from compression import zstd as zstd
else:
    from backports import zstd as zstd
    from backports.zstd import zipfile as zipfile
