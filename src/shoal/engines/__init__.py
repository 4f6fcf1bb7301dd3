"""Engines: how rows are encoded, counted, rewritten and recounted. Polars streams; nothing here decides."""
