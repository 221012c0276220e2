"""The answer to ``surefoot bound`` on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from surefoot.grading import wording
from surefoot.grading.answers import PassHatAnswer, RateAnswer
from surefoot.grading.verdict import CheckGrade
from surefoot.report.terminal_checks import STYLES
from surefoot.report.text import print_lines

_NAMES = (
    ("question", "by trial", "if trials are independent"),
    ("guaranteed", "by cluster", "whatever happens inside clusters of equal size"),
)


def print_bound(console: Console, answer: RateAnswer | PassHatAnswer) -> None:
    """Print one answer."""
    if isinstance(answer, PassHatAnswer):
        _print_pass_hat(console, answer)
    else:
        _print_rate(console, answer)
    if answer.check is not None:
        _print_verdict(console, answer.check)


def _print_rate(console: Console, answer: RateAnswer) -> None:
    sure = wording.confidence(answer.confidence_level)
    where = "" if answer.clusters is None else f" in {wording.count(answer.clusters, 'cluster')}"
    console.print(
        Text(
            f"{answer.events:,} of {wording.count(answer.trials, 'trial')}{where}: {wording.percent(answer.estimate)} seen",
            style="bold",
        ),
        soft_wrap=True,
    )
    print_lines(console, f"With {sure} confidence each, the rate behind it is", first="  ", rest="  ")
    for key, name, words in _NAMES if answer.clusters is not None else _NAMES[:1]:
        for text in _sides(answer.upper_bounds[key], answer.lower_bounds[key]):
            print_lines(console, f"{name}: {words}", first=f"    {text}   ", rest=" " * 26)


def _sides(upper: float | None, lower: float | None) -> list[str]:
    said = [] if upper is None else [f"at most  {wording.percent(upper, rounded='up'):>9}"]
    if lower:
        said.append(f"at least {wording.percent(lower, rounded='down'):>9}")
    return said


def _print_pass_hat(console: Console, answer: PassHatAnswer) -> None:
    sure = wording.confidence(answer.confidence_level)
    k = answer.k

    def shown(value: float | None) -> str:
        return f"not measured ({k} tries need {k} trials)" if value is None else f"{value:.6f}"

    low, high = (
        wording.share(answer.interval[0], rounded="down", digits=6),
        wording.share(answer.interval[1], rounded="up", digits=6),
    )
    flaky_low, flaky_high = answer.flakiness_interval
    spread = f"{wording.share(flaky_low, rounded='down')} to {wording.share(flaky_high, rounded='up')}"
    flaky = "not measured (one run cannot flip)" if answer.flakiness is None else f"{answer.flakiness:.6f}"
    rows = (
        (f"pass^{k}", f"every one of {k} tries works", shown(answer.pass_hat)),
        ("", f"proved at least ({sure})", wording.share(answer.lower_bound, rounded="down", digits=6)),
        ("", f"{sure} interval", f"{low} to {high}"),
        (f"pass@{k}", f"some of {k} tries works", shown(answer.pass_at)),
        ("flakiness", "4p(1-p): 0 always the same", flaky),
        ("", f"{sure} interval", spread),
    )
    first = max(len(name) for name, _, _ in rows)
    second = max(len(words) for _, words, _ in rows)
    title = f"passed {answer.passed:,} of {wording.count(answer.trials, 'trial')} of one task"
    console.print(Text(title, style="bold"), soft_wrap=True)
    for name, words, value in rows:
        console.print(Text(f"  {name:<{first}}  {words:<{second}}  {value}"), soft_wrap=True)


def _print_verdict(console: Console, check: CheckGrade) -> None:
    console.print()
    print_lines(
        console,
        f"{check.verdict}: {check.reason}",
        rest="  ",
        style=STYLES[check.verdict],
    )
    for index, step in enumerate(check.next_steps):
        print_lines(
            console, step, first="  Next  " if index == 0 else "        ", rest="        ", style="cyan"
        )
