"""Tables of a lesson, each column with a heading, for those who hear the page read to them."""

import pandas as pd
from IPython.display import HTML


def show_table(table: pd.DataFrame) -> HTML:
    """Return a table as HTML; its index is the first column.

    Args:
        table: The index has a name. Texts are escaped.
    """
    return HTML(table.reset_index().to_html(index=False, border=0))  # type: ignore[no-untyped-call]
