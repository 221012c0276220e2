"""Counts and a plan become verdicts. Pure: no files, no clock, no printing."""
