"""A grade becomes text, JSON and pages. Decides nothing."""
