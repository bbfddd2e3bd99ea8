"""Item analysis with the formulas of Moodle's quiz statistics, from sums that add up exactly.

For s students, item marks x out of m, totals T and the rest R = T − x of each student:

- facility mean(x)/m; standard deviations divide by s − 1;
- discrimination index 100·cov(x, R)/√(var x · var R): the item against the rest of the test;
- discriminative efficiency 100·cov(x, R)/cov_max, cov_max being that of the two lists, each sorted;
- intended weight 100·m/Σm; effective weight 100·√cov(x, T)/Σ√cov(x_j, T) over items where that is not
  negative;
- with the central moments m2, m3, m4 of T and k2 = s·m2/(s−1), k3 = s²·m3/((s−1)(s−2)),
  k4 = s²·((s+1)·m4 − 3(s−1)·m2²)/((s−1)(s−2)(s−3)): skewness k3/k2^1.5, kurtosis k4/k2²;
- internal consistency (Cronbach's alpha, in percent) 100·p/(p−1)·(1 − Σvar x/k2) for p items, error ratio
  100·√(1 − alpha/100), standard error = error ratio·SD/100.

Where a formula divides by zero or asks for more students, the value is None. Source: Moodle,
``mod/quiz/report/statistics`` (the quiz) and ``question/classes/statistics`` (its questions).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm, sqrt

from dense_cli.frozen import dataclass

Counts = Mapping[int, int]
"""How often each value comes; bounded, for points are few different fractions."""


@dataclass(frozen=True, slots=True)
class Sums:
    """What a class comes to, in whole multiples of 1/`unit`; the sums of two classes can be added.

    `marks` and `rests` count the values of each item and of the rest of the test, `totals` those of the
    whole; `products` are Σ x·R for each item.
    """

    maxima: tuple[Fraction, ...]
    unit: int
    students: int
    totals: Counts
    marks: tuple[Counts, ...]
    rests: tuple[Counts, ...]
    products: tuple[int, ...]

    @classmethod
    def of(
        cls,
        marks: Iterable[Sequence[Fraction]],
        maxima: Sequence[Fraction],
    ) -> Sums:
        """The sums of a class: a row of marks for each student, one mark for each item."""
        rows = [tuple(row) for row in marks]
        unit = unit_of({mark for row in rows for mark in row})
        scaled = [[in_units(mark, unit) for mark in row] for row in rows]
        return cls.of_units(scaled, unit, maxima, [1] * len(rows))

    @classmethod
    def of_units(
        cls, rows: Iterable[Sequence[int]], unit: int, maxima: Sequence[Fraction], times: Collection[int]
    ) -> Sums:
        """The same where marks are whole multiples of 1/`unit`, and rows come so many `times`."""
        totals: dict[int, int] = {}
        counts: list[dict[int, int]] = [{} for _ in maxima]
        rests: list[dict[int, int]] = [{} for _ in maxima]
        products = [0] * len(maxima)
        for row, count in zip(rows, times, strict=True):
            total = sum(row)
            totals[total] = totals.get(total, 0) + count
            for place, (mark, own, others) in enumerate(zip(row, counts, rests, strict=True)):
                rest = total - mark
                own[mark] = own.get(mark, 0) + count
                others[rest] = others.get(rest, 0) + count
                products[place] += count * mark * rest
        return cls(tuple(maxima), unit, sum(times), totals, tuple(counts), tuple(rests), tuple(products))

    def __add__(self, other: Sums) -> Sums:
        """The sums of both classes together; the same whichever way a class was divided."""
        if self.maxima != other.maxima:
            raise ValueError("sums of different items")
        unit = lcm(self.unit, other.unit)
        one, two = (sums._in_units(unit) for sums in (self, other))
        return Sums(
            self.maxima,
            unit,
            one.students + two.students,
            _added(one.totals, two.totals),
            tuple(map(_added, one.marks, two.marks)),
            tuple(map(_added, one.rests, two.rests)),
            tuple(a + b for a, b in zip(one.products, two.products, strict=True)),
        )

    def _in_units(self, unit: int) -> Sums:
        factor = unit // self.unit
        if factor == 1:
            return self
        return Sums(
            self.maxima,
            unit,
            self.students,
            _scaled(self.totals, factor),
            tuple(_scaled(counts, factor) for counts in self.marks),
            tuple(_scaled(counts, factor) for counts in self.rests),
            tuple(product * factor**2 for product in self.products),
        )


def unit_of(marks: Iterable[Fraction]) -> int:
    """The unit in whose parts all these marks are whole."""
    return lcm(*{mark.denominator for mark in marks})


def in_units(mark: Fraction, unit: int) -> int:
    """A mark in parts of such a unit."""
    return mark.numerator * (unit // mark.denominator)


def _added(one: Counts, two: Counts) -> Counts:
    both = dict(one)
    for value, count in two.items():
        both[value] = both.get(value, 0) + count
    return both


def _scaled(counts: Counts, factor: int) -> Counts:
    return {value * factor: count for value, count in counts.items()}


@dataclass(frozen=True, slots=True)
class Item:
    """One item: facility and SD in its own terms, the others in percent."""

    maximum: Fraction
    facility: float | None
    sd: float | None
    discrimination: float | None
    efficiency: float | None
    intended_weight: float | None
    effective_weight: float | None


@dataclass(frozen=True, slots=True)
class Statistics:
    """A whole test; `mean`, `median`, `sd`, `standard_error` in points, alpha and error ratio in percent."""

    students: int
    maximum: Fraction
    mean: float | None
    median: float | None
    sd: float | None
    skewness: float | None
    kurtosis: float | None
    cronbach_alpha: float | None
    error_ratio: float | None
    standard_error: float | None
    items: tuple[Item, ...]


def statistics(sums: Sums) -> Statistics:
    """Moodle's statistics of a class. Items that carry no points do not count as items of the test.

    >>> rows = [[1, 1], [1, 0], [0, 0]]
    >>> found = statistics(Sums.of([[Fraction(mark) for mark in row] for row in rows], [Fraction(1)] * 2))
    >>> found.mean, round(found.items[0].facility, 4), round(found.items[0].discrimination, 6)
    (1.0, 0.6667, 50.0)
    """
    maximum = sum(sums.maxima, Fraction(0))
    variance = _variance(sums, sums.totals)
    alpha = _alpha(sums, variance)
    ratio = None if alpha is None else 100 * sqrt(1 - alpha / 100)
    sd = None if variance is None else sqrt(variance)
    third, fourth = _shape(sums)
    return Statistics(
        students=sums.students,
        maximum=maximum,
        mean=float(_mean(sums, sums.totals)) if sums.students else None,
        median=_median(sums),
        sd=sd,
        skewness=third,
        kurtosis=fourth,
        cronbach_alpha=None if alpha is None else float(alpha),
        error_ratio=ratio,
        standard_error=None if ratio is None or sd is None else ratio * sd / 100,
        items=_items(sums, maximum),
    )


def _items(sums: Sums, maximum: Fraction) -> tuple[Item, ...]:
    shared = [_with_total(sums, place) for place in range(len(sums.maxima))]
    weights = [None if one is None or one < 0 else sqrt(one) for one in shared]
    whole = sum(weight for weight in weights if weight is not None)
    return tuple(
        _item(sums, place, maximum, None if weight is None or not whole else 100 * weight / whole)
        for place, weight in enumerate(weights)
    )


def _item(sums: Sums, place: int, maximum: Fraction, effective: float | None) -> Item:
    most, counts = sums.maxima[place], sums.marks[place]
    own, rest = _variance(sums, counts), _variance(sums, sums.rests[place])
    together, best = _covariance(sums, place, sums.products[place]), _best_covariance(sums, place)
    return Item(
        maximum=most,
        facility=float(_mean(sums, counts) / most) if sums.students and most else None,
        sd=None if own is None else sqrt(own),
        discrimination=_correlation(together, own, rest),
        efficiency=float(100 * together / best) if together is not None and best else None,
        intended_weight=float(100 * most / maximum) if maximum else None,
        effective_weight=effective,
    )


def _mean(sums: Sums, counts: Counts) -> Fraction:
    return Fraction(_sum(counts), sums.students * sums.unit)


def _sum(counts: Counts, power: int = 1) -> int:
    return sum(count * value**power for value, count in counts.items())


def _variance(sums: Sums, counts: Counts) -> Fraction | None:
    """With s − 1; None for fewer than two students."""
    return _spread(sums, _sum(counts, 2), _sum(counts), _sum(counts))


def _covariance(sums: Sums, place: int, products: int) -> Fraction | None:
    """Of an item with the rest of the test, from Σ x·R or what stands for it."""
    return _spread(sums, products, _sum(sums.marks[place]), _sum(sums.rests[place]))


def _spread(sums: Sums, products: int, one: int, other: int) -> Fraction | None:
    s = sums.students
    return Fraction(s * products - one * other, s * (s - 1) * sums.unit**2) if s > 1 else None


def _best_covariance(sums: Sums, place: int) -> Fraction | None:
    """What the covariance would be if the best on the item were the best on the rest."""
    return _covariance(sums, place, _sorted_products(sums.marks[place], sums.rests[place]))


def _sorted_products(one: Counts, other: Counts) -> int:
    """Σ of the products of two lists, each sorted, from their counts."""
    found, others = 0, [list(pair) for pair in sorted(other.items(), reverse=True)]
    for value, count in sorted(one.items()):
        while count:
            taken = min(count, others[-1][1])
            found += taken * value * others[-1][0]
            others[-1][1] -= taken
            count -= taken
            if not others[-1][1]:
                others.pop()
    return found


def _with_total(sums: Sums, place: int) -> Fraction | None:
    """cov(x, T) = cov(x, R) + var x."""
    rest, own = _covariance(sums, place, sums.products[place]), _variance(sums, sums.marks[place])
    return None if rest is None or own is None else rest + own


def _correlation(together: Fraction | None, own: Fraction | None, rest: Fraction | None) -> float | None:
    """In percent; one rounding only, so that no class is correlated by more than 100."""
    if together is None or not own or not rest:
        return None
    size = 100 * sqrt(together**2 / (own * rest))
    return -size if together < 0 else size


def _median(sums: Sums) -> float | None:
    if not sums.students:
        return None
    middle = [_ranked(sums.totals, rank) for rank in ((sums.students - 1) // 2, sums.students // 2)]
    return float(Fraction(sum(middle), 2 * sums.unit))


def _ranked(counts: Counts, rank: int) -> int:
    """The value at a rank, counted from 0, of the sorted list."""
    for value, count in sorted(counts.items()):
        rank -= count
        if rank < 0:
            return value
    raise IndexError(rank)


def _shape(sums: Sums) -> tuple[float | None, float | None]:
    """Skewness and kurtosis of the totals."""
    s = sums.students
    if s < 3:
        return None, None
    mean = Fraction(_sum(sums.totals), s)
    m2, m3, m4 = (
        sum((count * (value - mean) ** power for value, count in sums.totals.items()), Fraction(0)) / s
        for power in (2, 3, 4)
    )
    if not m2:
        return None, None
    k2 = s * m2 / (s - 1)
    k3 = s**2 * m3 / ((s - 1) * (s - 2))
    skewness = float(k3) / (float(k2) * sqrt(k2))
    if s < 4:
        return skewness, None
    k4 = s**2 * ((s + 1) * m4 - 3 * (s - 1) * m2**2) / ((s - 1) * (s - 2) * (s - 3))
    return skewness, float(k4 / k2**2)


def _alpha(sums: Sums, variance: Fraction | None) -> Fraction | None:
    places = [place for place, most in enumerate(sums.maxima) if most]
    p = len(places)
    if p < 2 or not variance:
        return None
    parts = sum((_variance(sums, sums.marks[place]) or Fraction(0) for place in places), Fraction(0))
    return 100 * Fraction(p, p - 1) * (1 - parts / variance)
