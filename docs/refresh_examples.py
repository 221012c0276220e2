"""Run the commands of the README and the docs again, and put what they print into the pages.

    python docs/refresh_examples.py

An example that still matches its page is left alone. Where a page elides with ``...``, the lines before,
after and between are found again; look at the difference before you commit it.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import os
import re
import shlex
import shutil
import tempfile
from pathlib import Path

from surefoot.cli.main import run

ROOT = Path(__file__).resolve().parents[1]
ELISION = "..."


def printed_by(command: str) -> list[str]:
    """The lines that a command prints in a folder with examples/ beside, at 80 columns without colour."""
    words = shlex.split(command.replace("\\\n", " "), comments=True)
    output, errors = io.StringIO(), io.StringIO()
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        os.chdir(folder)
        try:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
                run(words[1:])
        finally:
            os.chdir(home)
    return [line.rstrip() for line in (output.getvalue() + errors.getvalue()).rstrip().splitlines()]


def renewed(old: list[str], new: list[str]) -> list[str]:
    """The lines to show of `new`, with what `old` left out left out again."""
    if re.fullmatch("\n".join(map(re.escape, old)).replace(r"\.\.\.", ".*?"), "\n".join(new), re.DOTALL):
        return old
    if ELISION not in old:
        return new
    segments = [part.strip("\n").split("\n") for part in "\n".join(["", *old, ""]).split(f"\n{ELISION}\n")]
    shown: list[str] = []
    for place, segment in enumerate(segments):
        length = len(segment) if segment != [""] else 0
        if place == 0:
            shown += new[:length]
        elif place == len(segments) - 1:
            shown += [ELISION, *new[len(new) - length :]]
        else:
            found = difflib.get_close_matches(segment[0], new, n=1, cutoff=0)
            start = new.index(found[0])
            shown += [ELISION, *new[start : start + length]]
    return shown


def refreshed(text: str) -> str:
    """A page with every example of its console blocks run again."""

    def block(match: re.Match[str]) -> str:
        parts = re.split(r"^(?=\$ )", match[1], flags=re.MULTILINE)
        return (
            "```console\n"
            + "".join(part if not part.startswith("$ surefoot") else example(part) for part in parts)
            + "```"
        )

    def example(part: str) -> str:
        found = re.match(r"((?:[^\n]*\\\n)*[^\n]*)\n(.*)", part, flags=re.DOTALL)
        assert found is not None
        old = [line.rstrip() for line in found[2].rstrip().splitlines()]
        lines = renewed(old, printed_by(found[1].removeprefix("$ ")))
        blank = "\n" if part.endswith("\n\n") else ""
        return "\n".join([found[1], *lines]) + "\n" + blank

    return re.sub(r"```console\n(.*?)```", block, text, flags=re.DOTALL)


def main() -> None:
    """Rewrite the pages in place."""
    os.environ |= {"NO_COLOR": "1", "COLUMNS": "80"}
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        new = refreshed(text)
        if new != text:
            page.write_text(new, encoding="utf-8")
            print(f"refreshed {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
