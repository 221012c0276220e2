"""What is worth saying about the data: one frozen finding each, with what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from surefoot.errors import UnreadableLogError

Severity = Literal["note", "warning", "error"]


@dataclass(frozen=True)
class Finding:
    """Something a reader of the numbers must know.

    Parameters
    ----------
    code
        A stable name in kebab-case, such as ``"unscored-by-cause"``: part of the JSON interface.
    severity
        ``"note"`` (said), ``"warning"`` (may change how the numbers read) or ``"error"`` (nothing is graded: exit 4).
    message
        What is so, in one or two plain sentences, with counts and examples.
    what_to_do
        The next step, or an empty string where there is none.
    """

    code: str
    severity: Severity
    message: str
    what_to_do: str = ""

    def to_dict(self) -> dict[str, str]:
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "what_to_do": self.what_to_do,
        }


def skipped_finding(error: UnreadableLogError) -> Finding:
    """The finding that stands for a file left out."""
    return Finding(
        "skipped-file",
        "warning",
        f"Left out, as it cannot be read: {error}",
        "Its trials are in no number here. Mend the file, or grade without --skip-unreadable to stop at it.",
    )
