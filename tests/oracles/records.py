"""What a delimited text holds, by the grammar of RFC 4180 written as a regular expression."""

import re


def fields_per_record(text, delimiter, quote='"'):
    """Return the number of fields of each record, or None where the text does not follow the grammar."""
    d, q = re.escape(delimiter), re.escape(quote)
    if "\0" in text:
        return None
    cell = f"(?:{q}(?:[^{q}]|{q}{q})*{q}|[^{d}{q}\n][^{d}{q}\n]*|)"
    record = re.compile(f"{cell}(?:{d}{cell})*\r?(?:\n|$)")
    counts, at = [], 0
    while at < len(text):
        match = record.match(text, at)
        if match is None or (match.end() == at):
            return None
        counts.append(1 + len(re.findall(d, re.sub(f"{q}(?:[^{q}]|{q}{q})*{q}", "", match.group()))))
        if not match.group().endswith("\n") and match.end() < len(text):
            return None
        at = match.end()
    return counts
