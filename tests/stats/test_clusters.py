"""The four bounds over clusters: printed numbers, what goes in and out, and the care at whole numbers."""

from __future__ import annotations

import dataclasses
import json
import math
import time
from collections.abc import Callable
from pathlib import Path

import mpmath
import numpy as np
import pytest

from surefoot.errors import ArgumentError
from surefoot.stats.clusters import ClusterBounds, lower_bounds, upper_bounds
from surefoot.stats.hinge import hinge_lower, hinge_upper

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "golden.json").read_text())


def golden(key: str) -> object:
    return pytest.approx(float(GOLDEN[key]), rel=1e-12)


# size, events in each, clusters
Rows = list[tuple[int, float, int]]


def upper(rows: Rows, **options) -> ClusterBounds:
    return upper_bounds(*_columns(rows), clusters=[row[2] for row in rows], **options)


def lower(rows: Rows, **options) -> ClusterBounds:
    return lower_bounds(*_columns(rows), clusters=[row[2] for row in rows], **options)


def _columns(rows: Rows) -> tuple[list[int], list[float]]:
    return [row[0] for row in rows], [row[1] for row in rows]


class TestGuaranteed:
    @pytest.mark.parametrize(
        ("rows", "key"),
        [
            ([(1, 0, 20), (10, 0, 5)], "waterfill0 20x1+5x10"),
            ([(1, 0, 80), (2, 0, 20)], "waterfill0 80x1+20x2"),
            ([(1, 0, 50), (3, 0, 50)], "waterfill0 50x1+50x3"),
            ([(1, 0, 200), (50, 0, 3)], "waterfill0 200x1+3x50"),
            ([(size, 0, 1) for size in range(1, 31)], "waterfill0 1..30"),
            ([(1, 1, 1), (1, 0, 19), (10, 0, 5)], "dual(20x1+5x10,s=1/70)"),
            ([(1, 0, 20), (10, 0, 4), (10, 10, 1)], "dual(20x1+5x10,s=1/7)"),
            ([(1, 1, 1), (1, 0, 79), (2, 0, 20)], "scaled_hinge(80x1+20x2,s=1/120)"),
            ([(1, 0, 80), (2, 0, 19), (2, 2, 1)], "scaled_hinge(80x1+20x2,s=1/60)"),
            ([(1, 0, 50), (3, 0, 49), (3, 3, 1)], "scaled_hinge(50x1+50x3,s=3/200)"),
        ],
    )
    def test_unequal_clusters_get_the_lesser_of_dual_and_scaled_hinge(self, rows: Rows, key: str) -> None:
        assert upper(rows).guaranteed == golden(key)

    def test_the_scaled_hinge_itself(self) -> None:
        for whole, total, key in ((70, 1, "s=1/70"), (70, 10, "s=1/7")):
            scaled = 10 * 25 / whole * hinge_upper(total / 10, 25, 0.05)
            assert scaled == golden(f"scaled_hinge(20x1+5x10,{key})")

    @pytest.mark.parametrize(
        ("rows", "printed"),
        [
            ([(1, 0, 80), (2, 0, 18), (2, 2, 2)], "0.005587111"),
            ([(1, 0, 80), (2, 0, 16), (2, 2, 4)], "0.021108494"),
            ([(1, 0, 20), (10, 0, 4), (10, 10, 1)], "0.007142857"),
            ([(1, 0, 20), (10, 0, 3), (10, 10, 2)], "0.048514496"),
        ],
    )
    def test_lower_bounds_of_unequal_clusters(self, rows: Rows, printed: str) -> None:
        assert f"{lower(rows).guaranteed:.9f}" == printed

    def test_equal_clusters_get_the_hinge_over_cluster_means(self) -> None:
        assert upper([(4, 0, 388)]).guaranteed == golden("hinge_upper95(S=0,M=388)")
        assert upper([(4, 1, 1), (4, 0, 387)]).guaranteed == golden("hinge_upper95(S=0.25,M=388)")
        assert upper([(4, 4, 1), (4, 0, 387)]).guaranteed == golden("hinge_upper95(S=1,M=388)")
        assert upper([(4, 2, 4), (4, 0, 384)]).guaranteed == golden("hinge_upper95(S=2,M=388)")
        assert upper([(4, 0, 388)]).guaranteed_method == "hinge over clusters"

    def test_clusters_of_one_question_get_clopper_pearson(self) -> None:
        bounds = upper([(1, 0, 297), (1, 1, 3)])
        assert bounds.guaranteed == golden("cp_upper95(3,300)")
        assert bounds.guaranteed_method == "Clopper-Pearson for unequal rates"
        assert bounds.question == bounds.guaranteed == bounds.cluster

    def test_with_its_repair_for_unequal_rates(self) -> None:
        bounds = lower([(1, 0, 89), (1, 1, 1)])
        assert bounds.guaranteed == pytest.approx(float(GOLDEN["cp_repaired_lower95(1,90)"]), rel=1e-11)
        assert bounds.question == golden("cp_lower95(1,90)")

    def test_questions_tried_several_times_are_not_yes_or_no(self) -> None:
        rows = [(1, 0.0, 97), (1, 1.0, 3)]
        bounds = upper(rows, repeated=True)
        assert bounds.guaranteed == golden("hinge_upper95(S=3,M=100)")
        assert bounds.question == golden("hinge_upper95(S=3,M=100)")
        assert upper(rows).guaranteed == golden("cp_upper95(3,100)")

    def test_scores_are_not_yes_or_no_either(self) -> None:
        assert upper([(1, 0.25, 1), (1, 0.0, 99)]).guaranteed == golden("hinge_upper95(S=0.25,M=100)")
        assert upper([(1, 0.5, 2), (1, 0.0, 98)]).guaranteed == golden("hinge_upper95(S=1,M=100)")

    def test_each_cluster_counting_once_ignores_the_sizes(self) -> None:
        rows = [(1, 0, 50), (10, 5, 2), (3, 0, 48)]
        bounds = upper(rows, weighting="cluster")
        assert bounds.guaranteed == golden("hinge_upper95(S=1,M=100)")
        others = dataclasses.replace(upper(rows), guaranteed=0.0, guaranteed_method="")
        assert dataclasses.replace(bounds, guaranteed=0.0, guaranteed_method="") == others

    def test_one_cluster(self) -> None:
        bounds = upper([(140, 0, 1)])
        assert bounds.guaranteed == pytest.approx(0.95, rel=1e-15)
        assert bounds.design_effect is None
        assert bounds.deff is None
        assert bounds.effective_sample_size is None
        assert bounds.largest_of_three == pytest.approx(0.95, rel=1e-15)
        assert lower([(140, 140, 1)]).guaranteed == pytest.approx(0.05, rel=1e-14)

    @pytest.mark.parametrize("clusters", [[], [0, 0]])
    def test_no_clusters_say_nothing(self, clusters: list[int]) -> None:
        column = [3] * len(clusters)
        above = upper_bounds(column, [0] * len(clusters), clusters=clusters)
        assert (above.question, above.cluster, above.guaranteed) == (1.0, 1.0, 1.0)
        assert above.largest_of_three == 1.0
        below = lower_bounds(column, [0] * len(clusters), clusters=clusters)
        assert (below.question, below.cluster, below.guaranteed) == (0.0, 0.0, 0.0)
        assert below.clusters == below.questions == below.clusters_with_event == 0
        assert below.design_effect is None

    def test_it_depends_on_the_events_through_their_total_only(self) -> None:
        spread = [(1, 1, 4), (1, 0, 16), (10, 0, 5)]
        in_one = [(1, 0, 20), (10, 4, 1), (10, 0, 4)]
        assert upper(spread).guaranteed == upper(in_one).guaranteed
        assert lower(spread).guaranteed == lower(in_one).guaranteed


class TestTheOtherThree:
    def test_question_and_cluster_are_clopper_pearson(self) -> None:
        bounds = upper([(1, 0, 79), (1, 1, 1), (2, 2, 1), (2, 1, 1), (2, 0, 18)])
        assert bounds.cluster == golden("cp_upper95(3,100)")
        assert bounds.clusters_with_event == 3
        assert upper([(10, 0, 29), (10, 3, 1)]).question == golden("cp_upper95(3,300)")
        assert upper([(10, 5, 1), (10, 0, 99)]).question == golden("cp_upper95(5,1000)")

    def test_on_the_lower_side_a_cluster_is_good_only_if_all_its_questions_are(self) -> None:
        bounds = lower([(3, 3, 59), (3, 2, 1)])
        assert bounds.cluster == golden("cp_lower95(59,60)")
        assert bounds.clusters_with_event == 1
        assert lower([(6, 6, 59), (6, 5, 1)]).question == golden("cp_lower95(359,360)")

    @pytest.mark.parametrize(
        "rows",
        [
            [(3, 0, 40), (3, 3, 5), (3, 1, 5)],
            [(1, 0, 20), (1, 1, 2), (10, 0, 3), (10, 7, 2)],
            [(5, 0.5, 7), (2, 1.25, 4), (1, 1.0, 1)],
            [(2, 1, 2)],
        ],
    )
    @pytest.mark.parametrize("level", [0.75, 0.95, 0.999])
    def test_the_design_effect_is_korn_and_graubards(self, rows: Rows, level: float) -> None:
        found = upper(rows, confidence_level=level)
        bound, deff, size = korn_graubard(rows, level)
        assert found.deff == pytest.approx(deff, rel=1e-12)
        assert found.effective_sample_size == pytest.approx(size, rel=1e-9)
        assert found.design_effect == pytest.approx(bound, rel=1e-9)
        mirrored = lower([(m, m - e, count) for m, e, count in rows], confidence_level=level)
        assert mirrored.design_effect == pytest.approx(1 - bound, rel=1e-9)

    def test_without_events_it_takes_the_most_that_clustering_can_do(self) -> None:
        bounds = upper([(1, 0, 20), (10, 0, 5)])
        assert bounds.effective_sample_size == golden("kish neff 20x1+5x10")
        assert bounds.deff == pytest.approx(520 / 70, rel=1e-14)
        assert bounds.design_effect == pytest.approx(-math.expm1(math.log(0.05) * 520 / 4900), rel=1e-13)
        everything = upper([(1, 1, 20), (10, 10, 5)])
        assert everything.design_effect == 1.0
        assert lower([(1, 1, 20), (10, 10, 5)]).design_effect == pytest.approx(
            math.exp(math.log(0.05) * 520 / 4900), rel=1e-13
        )

    def test_a_rounding_error_next_to_zero_does_not_leave_that_rule(self) -> None:
        clean, nearly = upper([(4, 0, 30)]), upper([(4, 0, 29), (4, 1e-15, 1)])
        assert nearly.design_effect == pytest.approx(clean.design_effect, rel=1e-9)

    def test_largest_of_three_is_the_most_cautious_on_either_side(self) -> None:
        rows = [(1, 0, 20), (1, 1, 2), (10, 0, 3), (10, 7, 2)]
        above, below = upper(rows), lower(rows)
        assert above.largest_of_three == max(above.question, above.cluster, above.design_effect or 0)
        assert below.largest_of_three == min(below.question, below.cluster, below.design_effect or 1)


def korn_graubard(rows: Rows, level: float) -> tuple[float, float, float]:
    """Korn and Graubard's interval in 40 digits, cluster by cluster, with nothing of scipy."""
    with mpmath.workdps(40):
        each = [(mpmath.mpf(m), mpmath.mpf(e)) for m, e, count in rows for _ in range(count)]
        budget = 1 - mpmath.mpf(str(level))
        n, clusters = sum(m for m, _ in each), len(each)
        p = sum(e for _, e in each) / n
        v = mpmath.mpf(clusters) / (clusters - 1) * sum((e - p * m) ** 2 for m, e in each) / n**2
        deff = max(mpmath.mpf(1), v / (p * (1 - p) / n))
        size = min(n, n / deff * (student(n - 1, budget) / student(clusters - 1, budget)) ** 2)

        def beyond(x: mpmath.mpf) -> mpmath.mpf:
            return 1 - mpmath.betainc(size * p + 1, size * (1 - p), 0, x, regularized=True)

        bound = where_it_falls_to(budget, beyond, mpmath.mpf(1))
        return float(bound), float(deff), float(size)


def student(freedom: mpmath.mpf, budget: mpmath.mpf) -> mpmath.mpf:
    """Upper quantile of Student's t."""

    def beyond(t: mpmath.mpf) -> mpmath.mpf:
        x = freedom / (freedom + t**2)
        return mpmath.betainc(freedom / 2, mpmath.mpf(1) / 2, 0, x, regularized=True) / 2

    return where_it_falls_to(budget, beyond, mpmath.mpf(10) ** 4)


def where_it_falls_to(
    budget: mpmath.mpf, tail: Callable[[mpmath.mpf], mpmath.mpf], high: mpmath.mpf
) -> mpmath.mpf:
    low = mpmath.mpf(0)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) > budget else (low, middle)
    return high


class TestWholeNumbersThatAreNotQuite:
    @pytest.mark.parametrize("wrong", [0.1 + 0.2, 0.7 + 0.1 + 0.2, 1 - 1e-16])
    def test_a_rounding_error_in_a_sum_moves_no_bound_by_more(self, wrong: float) -> None:
        right = round(wrong, 9)
        for compute in (upper, lower):
            for rows in ([(4, 0, 29)], [(4, 0, 20), (2, 0, 9)]):
                off = compute([*rows, (4, wrong, 1)], repeated=True)
                exact = compute([*rows, (4, right, 1)], repeated=True)
                assert off.guaranteed == pytest.approx(exact.guaranteed, rel=1e-12, abs=1e-15)
                assert off.question == pytest.approx(exact.question, rel=1e-12, abs=1e-15)

    def test_what_is_not_exactly_whole_is_not_taken_for_yes_or_no(self) -> None:
        nearly = math.nextafter(1.0, 0)
        off, exact = upper([(1, 0, 99), (1, nearly, 1)]), upper([(1, 0, 99), (1, 1.0, 1)])
        assert off.guaranteed_method == "hinge over clusters"
        assert off.guaranteed > exact.guaranteed
        assert off.question > exact.question

    def test_anything_but_exactly_nothing_is_an_event(self) -> None:
        assert upper([(2, 1e-300, 1), (2, 0, 9)]).clusters_with_event == 1
        assert upper([(2, -1e-17, 1), (2, 0, 9)]).clusters_with_event == 1

    def test_only_exactly_everything_is_wholly_good(self) -> None:
        assert lower([(2, math.nextafter(2, 0), 1), (2, 2, 9)]).clusters_with_event == 1
        assert lower([(2, math.nextafter(2, 3), 1), (2, 2, 9)]).clusters_with_event == 1
        assert lower([(2, 2, 10)]).clusters_with_event == 0

    def test_sums_that_left_the_range_by_rounding_are_taken_for_its_end(self) -> None:
        over = upper([(3, math.nextafter(3, 4), 1)], repeated=True)
        assert over.guaranteed == over.question == 1.0
        under = lower([(3, -1e-17, 2)], repeated=True)
        assert under.guaranteed == under.question == 0.0


class TestLargeCounts:
    def test_a_million_different_clusters(self) -> None:
        rng = np.random.default_rng(7)
        sizes = rng.integers(1, 20, 10**6)
        events = rng.random(10**6) * sizes * (rng.random(10**6) < 0.01)
        before = time.process_time()
        above = upper_bounds(sizes, events)
        below = lower_bounds(sizes, events)
        assert time.process_time() - before < 2.0
        rate = float(events.sum() / sizes.sum())
        assert below.guaranteed < rate < above.guaranteed < rate * 1.1
        assert above.clusters == 10**6

    def test_a_million_clusters_in_one_row(self) -> None:
        before = time.process_time()
        bounds = upper([(4, 0, 10**6 - 10), (4, 4, 10)])
        assert time.process_time() - before < 0.2
        assert bounds.guaranteed == golden("hinge_upper95(S=10,M=1e6)")

    def test_a_budget_of_a_millionth_of_a_millionth_and_a_thousand_million_questions(self) -> None:
        level = 0.999999999999
        with mpmath.workdps(40):
            budget = 1 - mpmath.mpf("0.999999999999")
            clean = float(-mpmath.expm1(mpmath.log(budget) / 10**9))
        bounds = upper([(1, 0, 10**9)], confidence_level=level)
        assert bounds.guaranteed == pytest.approx(clean, rel=1e-12)
        equal = upper([(1000, 0, 10**6)], confidence_level=level)
        assert equal.question == pytest.approx(clean, rel=1e-12)
        assert equal.guaranteed == pytest.approx(clean * 1000, rel=2e-5)
        some = upper([(1000, 5, 1), (1000, 0, 10**6 - 1)], confidence_level=level)
        with mpmath.workdps(30):
            x = mpmath.mpf(some.question)
            tail = mpmath.fsum(
                mpmath.binomial(10**9, k) * x**k * mpmath.exp((10**9 - k) * mpmath.log1p(-x))
                for k in range(6)
            )
            assert float(tail) == pytest.approx(float(budget), rel=1e-8)

    def test_small_lower_bounds_keep_their_digits(self) -> None:
        bounds = lower([(1000, 1, 1), (1000, 0, 10**6 - 1)])
        assert bounds.question == pytest.approx(-math.expm1(math.log1p(-0.05) / 10**9), rel=1e-9)
        assert bounds.guaranteed == pytest.approx(0.05 * 1e-3 / 10**6, rel=1e-12)
        assert bounds.guaranteed == hinge_lower(1e-3, 10**6, 0.05)

    def test_unequal_clusters_at_the_strictest_confidence(self) -> None:
        bounds = upper([(1, 0, 999_000_000), (7, 1, 3)], confidence_level=0.999999999999)
        assert 0 < bounds.question < bounds.guaranteed < 6e-8


class TestResult:
    def test_it_is_frozen_and_says_what_it_is(self) -> None:
        bounds = upper([(4, 0, 388)])
        with pytest.raises(dataclasses.FrozenInstanceError):
            bounds.guaranteed = 0.0
        assert bounds.side == "upper"
        assert (bounds.clusters, bounds.questions, bounds.clusters_with_event) == (388, 1552, 0)
        assert str(bounds) == (
            "at most 0.00769123 with 95 % confidence (hinge over clusters; 1552 questions in 388 clusters)"
        )

    def test_its_text_is_rounded_outward_and_its_level_is_not_rounded(self) -> None:
        """The bound is 0.048319849: rounded to nearest it would say less than is proved."""
        assert str(upper([(4, 4, 1), (4, 0, 99)])).startswith("at most 0.0483199 with 95 % confidence")
        assert "99.9999999999 %" in str(upper([(4, 0, 9)], confidence_level=1 - 1e-12))

    def test_to_dict_holds_every_number_and_survives_json(self) -> None:
        bounds = lower([(3, 3, 59), (3, 2, 1)])
        written = json.loads(json.dumps(bounds.to_dict()))
        assert written["largest_of_three"] == bounds.largest_of_three
        assert {name: written[name] for name in written if name != "largest_of_three"} == dataclasses.asdict(
            bounds
        )


class TestArguments:
    @pytest.mark.parametrize("compute", [upper_bounds, lower_bounds])
    @pytest.mark.parametrize(
        ("sizes", "events", "clusters", "named"),
        [
            ([2.7], [0], None, "sizes"),
            ([math.nan], [0], None, "sizes"),
            ([0], [0], None, "sizes"),
            ([-1], [0], None, "sizes"),
            ([True], [0], None, "sizes"),
            (["3"], [0], None, "sizes"),
            (3, 0, None, "sizes"),
            ([[3]], [[0]], None, "sizes"),
            ([3], [math.nan], None, "events"),
            ([3], [3.1], None, "events"),
            ([3], [-0.1], None, "events"),
            ([3], [True], None, "events"),
            ([3], ["1"], None, "events"),
            ([3], [math.inf], None, "events"),
            ([3, 3], [0], None, "events"),
            ([3], [0], [1, 2], "clusters"),
            ([3], [0], [-1], "clusters"),
            ([3], [0], [1.5], "clusters"),
            ([3], [0], [True], "clusters"),
        ],
    )
    def test_wrong_columns_are_named(self, compute, sizes, events, clusters, named) -> None:
        with pytest.raises(ArgumentError) as caught:
            compute(sizes, events, clusters=clusters)
        assert caught.value.argument == named

    def test_the_row_is_named(self) -> None:
        with pytest.raises(ArgumentError, match=r"events: expected a number in \[0, 2\] in row 1, got 3.0"):
            upper_bounds([4, 2], [3, 3])

    def test_weighting_and_confidence_level_are_named(self) -> None:
        with pytest.raises(ArgumentError, match="weighting"):
            upper_bounds([3], [0], weighting="size")
        with pytest.raises(ArgumentError, match="confidence_level"):
            lower_bounds([3], [0], confidence_level=95)

    def test_the_columns_given_are_left_as_they_were(self) -> None:
        sizes, events = np.array([3, 1, 2]), np.array([0.0, 1.0, 2.0])
        upper_bounds(sizes, events)
        assert sizes.tolist() == [3, 1, 2]
        assert events.tolist() == [0.0, 1.0, 2.0]
