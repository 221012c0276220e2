"""Logs of other tools become trial rows."""
