"""The three phases of TP on counted rows: which rows leave their groups for the residue."""
