"""What the oracles share: a class is a list of (value, person) records, person None where rows are counted."""


def members(records):
    """How many rows, or people where there are any, the records are of."""
    people = {person for _, person in records}
    return len(records) if None in people else len(people)


def count(records, *values):
    """How many rows, or people, bear one of the values."""
    return members([record for record in records if record[0] in values])


def histogram(records):
    """The count of each value."""
    return {value: count(records, value) for value in {value for value, _ in records}}
