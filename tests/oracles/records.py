"""What a delimited text holds, by the grammar of RFC 4180 written as a regular expression.

Beyond the RFC, a line may end in LF alone, and the last one may lack its end. A carriage return that ends no
line must stand in quotes.
"""

import re


def parse(text, delimiter, quote='"'):
    """Return the records as lists of cells, or None where the text does not follow the grammar."""
    if "\0" in text:
        return None
    d, q = re.escape(delimiter), re.escape(quote)
    step = re.compile(
        f"(?:{q}(?P<quoted>(?:[^{q}]|{q}{q})*){q}|(?P<bare>[^{d}{q}\r\n]*))(?P<end>{d}|\r?\n|\r?\\Z)"
    )
    records, cells, at = [], [], 0
    while at < len(text) or cells:
        match = step.match(text, at)
        if match is None:
            return None
        quoted = match["quoted"]
        cells.append(match["bare"] if quoted is None else quoted.replace(quote * 2, quote))
        at = match.end()
        if match["end"] != delimiter:
            records.append(cells)
            cells = []
    return records
