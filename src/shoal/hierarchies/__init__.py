"""Builders of hierarchies: each makes the tree of a column from the values that occur in it."""

from shoal.hierarchies.auto import Auto, auto
from shoal.hierarchies.csv_file import CsvFile, from_csv
from shoal.hierarchies.csv_writing import write_csv
from shoal.hierarchies.dates import Dates, dates
from shoal.hierarchies.flat import Flat, flat
from shoal.hierarchies.intervals import Intervals, intervals
from shoal.hierarchies.ordered import Ordered, ordered
from shoal.hierarchies.prefix import Prefix, prefix
from shoal.hierarchies.spec import from_spec, to_spec
from shoal.hierarchies.tree import Parents, Tree, parents, tree

__all__ = [
    "Auto",
    "CsvFile",
    "Dates",
    "Flat",
    "Intervals",
    "Ordered",
    "Parents",
    "Prefix",
    "Tree",
    "auto",
    "dates",
    "flat",
    "from_csv",
    "from_spec",
    "intervals",
    "ordered",
    "parents",
    "prefix",
    "to_spec",
    "tree",
    "write_csv",
]
