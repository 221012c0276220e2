"""Millions of rows become a few counts, in one SQL query."""
