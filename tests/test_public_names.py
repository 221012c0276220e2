"""The public names are lazy, listed by hand, and all there."""

from __future__ import annotations

import subprocess
import sys

import pytest

import surefoot


@pytest.mark.parametrize("name", surefoot.__all__)
def test_every_public_name_is_there(name):
    assert getattr(surefoot, name) is not None
    assert name in dir(surefoot)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nonsense"):
        surefoot.nonsense  # noqa: B018


def test_asking_for_help_imports_nothing_heavy():
    code = (
        "import sys; from surefoot.cli.main import run; status = run(['--help']); "
        "heavy = {'numpy', 'scipy', 'duckdb', 'sqlglot', 'pydantic', 'rich'} & set(sys.modules); "
        "sys.exit(1 if heavy or status else 0)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
