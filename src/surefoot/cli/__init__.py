"""The command line. Speaks to people and decides nothing."""
