"""A grade as strict JSON: the one object of the interface, null and never NaN."""

from __future__ import annotations

import json

from surefoot.grading.grade import Grade, GroupedGrade


def grade_json(grade: Grade | GroupedGrade) -> str:
    """The grade as JSON text. The same grade gives the same bytes."""
    return json.dumps(grade.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
