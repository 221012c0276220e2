"""The examples in docstrings are run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import surefoot

MODULES = sorted(module.name for module in pkgutil.walk_packages(surefoot.__path__, "surefoot."))


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_the_public_functions_have_examples():
    api = importlib.import_module("surefoot.api")
    assert doctest.testmod(api).attempted >= 4
