"""Expressions that need no variables: what they come to, what they cost, how they fail."""

from __future__ import annotations

from typing import Any

import pytest

from kubegang.apimachinery.cel import types
from kubegang.apimachinery.cel.checking import CheckError, check
from kubegang.apimachinery.cel.evaluating import Program
from kubegang.apimachinery.cel.runtime import CostLimitError, EvalError
from kubegang.apimachinery.cel.syntax import CelSyntaxError, parse


def program(text: str) -> Program:
    return Program(check(parse(text), {"number": types.INT, "word": types.STRING}))


def value(text: str, **variables: Any) -> Any:
    return program(text).evaluate(variables)[0]


TRUE = [
    # Operators and conversions.
    "1 + 2 * 3 == 7 && 7 % 4 == 3 && -7 / 2 == -3",
    "1.5 < 2.0 && 2u > 1u && 'a' < 'b' && b'a' != b'b'",
    "dyn(1) == 1.0 && 1 < 1.5 && dyn(1) == dyn(1u)",
    "'1' in ['1', '2'] && 'a' in {'a': 1} && !(3 in [1, 2])",
    "int('42') == 42 && string(4.5) == '4.5' && double('1.5') == 1.5 && uint(3) == 3u",
    "type(1) == int && type('a') == string && type([]) == list && type(null) == null_type",
    "timestamp('2026-01-02T03:04:05Z').getFullYear() == 2026",
    "timestamp('2026-01-02T03:04:05Z').getHours('+02:00') == 5",
    "timestamp('2026-01-02T00:00:00Z') - timestamp('2026-01-01T00:00:00Z') == duration('24h')",
    "duration('90m').getHours() == 1 && string(duration('90s')) == '90s'",
    "true || 1 / 0 == 1",
    "1 / 0 == 1 || true",
    "!(false && 1 / 0 == 1)",
    # Comprehensions, with one variable and with two.
    "[1, 2, 3].all(n, n > 0) && [1, 2].exists(n, n == 2) && [1, 2].exists_one(n, n == 2)",
    "[1, 2, 3].filter(n, n > 1).map(n, n * 2) == [4, 6]",
    "[1, 2, 3].map(n, n > 1, n * 2) == [4, 6]",
    "{'a': 1}.all(k, v, k == 'a' && v == 1) && [5, 6].exists(i, v, i == 1 && v == 6)",
    "[5, 6].transformList(i, v, i + v) == [5, 7]",
    "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 10) == {'b': 20}",
    "{'a': 'x'}.transformMapEntry(k, v, {v: k}) == {'x': 'a'}",
    # Optional values.
    "{'a': 1}.?a.orValue(0) == 1 && !{'a': 1}.?b.hasValue() && [1][?5].orValue(2) == 2",
    "optional.of(1).optMap(n, n + 1).value() == 2 && optional.none().orValue(3) == 3",
    "[?optional.of(1), ?optional.none()] == [1] && {?'a': optional.none()} == {}",
    # Lists.
    "[1, 2, 2].isSorted() && [1, 2].sum() == 3 && [3, 1].min() == 1 && ['a', 'b'].max() == 'b'",
    "[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(9) == -1",
    "sets.contains([1, 2], [2]) && sets.equivalent([1, 1], [1]) && sets.intersects([1], [1, 2])",
    # Strings.
    "'abc'.charAt(1) == 'b' && 'abcb'.indexOf('b') == 1 && 'abcb'.lastIndexOf('b') == 3",
    "['a', 'b'].join('-') == 'a-b' && 'a,b'.split(',') == ['a', 'b']",
    "'aXa'.replace('a', 'b', 1) == 'bXa' && ' a '.trim() == 'a' && 'abc'.substring(1, 2) == 'b'",
    "'aB'.lowerAscii() == 'ab' && 'aB'.upperAscii() == 'AB'",
    "'%s is %d, %.2f, %x, %b'.format(['a', 5, 1.5, 255, 5]) == 'a is 5, 1.50, ff, 101'",
    "'a1b22'.find('[0-9]+') == '1' && 'a1b22'.findAll('[0-9]+') == ['1', '22']",
    "'ab12'.matches('^[a-z]+[0-9]+$') && size('äö') == 2 && 'äö'.size() == 2",
    # Kubernetes' types.
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('500m').asApproximateFloat() == 0.5",
    "quantity('1k').add(quantity('1')).compareTo(quantity('1001')) == 0 && !isQuantity('q')",
    "url('https://example.com:80/a?b=c').getHost() == 'example.com:80'",
    "url('https://example.com/a').getEscapedPath() == '/a' && !isURL('../x')",
    "ip('10.0.0.1').family() == 4 && ip('::1').isLoopback() && !isIP('10.0.0.256')",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').prefixLength() == 8",
    "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('v1.2', true).minor() == 2",
    "format.named('dns1123Label').value().validate('A').hasValue()",
    "!format.dns1123Subdomain().validate('a.b').hasValue() && !format.named('x').hasValue()",
]


@pytest.mark.parametrize("text", TRUE)
def test_expressions_hold(text: str) -> None:
    assert value(text) is True


FAILS = [
    ("1 / 0", "division by zero"),
    ("[1][5]", "index out of bounds: 5"),
    ("{'a': 1}['b']", "no such key: b"),
    ("9223372036854775807 + number", "integer overflow"),
    ("optional.none().value()", "optional.none() dereference"),
]


@pytest.mark.parametrize(("text", "message"), FAILS)
def test_errors_are_values(text: str, message: str) -> None:
    found = value(text, number=1)
    assert isinstance(found, EvalError)
    assert str(found) == message


REFUSED = [
    ("number + 'a'", "found no matching overload for '_+_' applied to '(int, string)'"),
    ("nope", "undeclared reference to 'nope' (in container '')"),
    ("word.foo()", "undeclared reference to 'foo' (in container '')"),
    ("[1, 2].all(n, n)", "found no matching overload for '_&&_' applied to '(bool, int)'"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_types_are_checked(text: str, message: str) -> None:
    with pytest.raises(CheckError) as refused:
        program(text)
    assert message in str(refused.value)


@pytest.mark.parametrize("text", ["1 +", "", "a.all(1, true)", "'", "((((", "\x00"])
def test_what_cannot_be_parsed_is_refused(text: str) -> None:
    with pytest.raises(CelSyntaxError):
        parse(text)


def test_deep_expressions_end_in_an_error() -> None:
    text = "(" * 300 + "1" + ")" * 300
    with pytest.raises((CelSyntaxError, CheckError)):
        program(text)


def test_a_computation_stops_at_its_limit() -> None:
    text = "word.split('').all(a, word.split('').all(b, word.split('').all(c, a != 'x')))"
    found, cost = program(text).evaluate({"word": "y" * 1000}, limit=10_000)
    assert isinstance(found, CostLimitError)
    assert cost < 20_000


def test_costs_are_counted() -> None:
    assert program("1 + 1 == 2").evaluate({})[1] == 2
