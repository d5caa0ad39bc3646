"""Semantic versions, as expressions of Kubernetes take them."""

from __future__ import annotations

import pytest

from kubegang.apimachinery.cel.semver import Semver, SemverError


def test_versions_are_ordered_as_the_standard_says() -> None:
    texts = [
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-rc.1",
        "1.0.0",
        "1.2.0",
        "1.10.0",
    ]
    assert [str(version) for version in sorted(map(Semver.parse, reversed(texts)))] == texts


def test_build_metadata_says_nothing() -> None:
    assert Semver.parse("1.0.0+a") == Semver.parse("1.0.0+b")
    assert hash(Semver.parse("1.0.0+a")) == hash(Semver.parse("1.0.0"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Version string empty"),
        ("1.0", "No Major.Minor.Patch elements found"),
        ("v1.0.0", 'Invalid character(s) found in major number "v1"'),
        ("01.0.0", 'Major number must not contain leading zeroes "01"'),
        ("1.00.0", 'Minor number must not contain leading zeroes "00"'),
        ("1.0.01", 'Patch number must not contain leading zeroes "01"'),
        ("1.0.0-01", 'Numeric PreRelease version must not contain leading zeroes "01"'),
        ("1.0.0-", "Prerelease is empty"),
        ("1.0.0+", "Build meta data is empty"),
        ("1.0.x", 'Invalid character(s) found in patch number "x"'),
    ],
)
def test_strict_parsing_says_what_is_wrong(text: str, why: str) -> None:
    with pytest.raises(SemverError) as error:
        Semver.parse(text)
    assert str(error.value) == why


@pytest.mark.parametrize(
    ("text", "want"),
    [("v1", "1.0.0"), ("v1.2", "1.2.0"), ("01.02.03", "1.2.3"), ("1.2.3-rc.1", "1.2.3-rc.1")],
)
def test_lenient_parsing_mends(text: str, want: str) -> None:
    assert str(Semver.normalise(text)) == want


def test_a_short_version_cannot_have_more() -> None:
    with pytest.raises(SemverError, match="short version cannot contain PreRelease"):
        Semver.normalise("1.2-rc")
