"""surefoot tells whether an AI system can be relied on, and how far the evidence goes."""

__version__ = "0.1.0"
