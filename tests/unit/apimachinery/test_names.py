"""Name rules; the texts are from the recorded answers of kube-apiserver 1.37.2."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kubegang.apimachinery import names

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    r"for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
NAME_PART = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
LABEL_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@pytest.mark.parametrize(
    ("check", "text", "want"),
    [
        pytest.param(names.is_dns1123_subdomain, "a.b-c.1", [], id="subdomain"),
        pytest.param(names.is_dns1123_subdomain, "A_", [SUBDOMAIN], id="subdomain-wrong"),
        pytest.param(
            names.is_dns1123_subdomain,
            "a" * 254,
            ["must be no more than 253 characters"],
            id="subdomain-long",
        ),
        pytest.param(names.is_dns1123_label, "a-1", [], id="label"),
        pytest.param(names.is_dns1123_label, "A", [LABEL], id="label-wrong"),
        pytest.param(names.is_dns1123_label, "", [LABEL], id="label-empty"),
        pytest.param(names.is_dns1123_label, "a.b", ["must not contain dots"], id="label-dots"),
        pytest.param(
            names.is_dns1123_label,
            "a" * 64,
            ["must be no more than 63 characters"],
            id="label-long",
        ),
        pytest.param(names.is_qualified_name, "example.com/a_B", [], id="qualified"),
        pytest.param(names.is_qualified_name, "a b", [NAME_PART], id="qualified-blank"),
        pytest.param(
            names.is_qualified_name,
            "",
            ["name part must be non-empty", NAME_PART],
            id="qualified-empty",
        ),
        pytest.param(
            names.is_qualified_name, "/a", ["prefix part must be non-empty"], id="no-prefix"
        ),
        pytest.param(
            names.is_qualified_name, "A_/a", [f"prefix part {SUBDOMAIN}"], id="bad-prefix"
        ),
        pytest.param(
            names.is_qualified_name,
            "a" * 64,
            ["name part must be no more than 63 bytes"],
            id="qualified-long",
        ),
        pytest.param(names.is_label_value, "", [], id="value-empty"),
        pytest.param(names.is_label_value, "!", [LABEL_VALUE], id="value-wrong"),
        pytest.param(
            names.is_label_value, "x" * 64, ["must be no more than 63 bytes"], id="value-long"
        ),
        pytest.param(
            names.is_label_value,
            "é" * 32,
            ["must be no more than 63 bytes", LABEL_VALUE],
            id="lengths-count-bytes",
        ),
        pytest.param(names.is_path_segment_name, "..", ["may not be '..'"], id="dots"),
        pytest.param(
            names.is_path_segment_name,
            "a/b%",
            ["may not contain '/'", "may not contain '%'"],
            id="slash-and-percent",
        ),
        pytest.param(
            names.is_port_name,
            "much-too-long-port-name",
            ["must be no more than 15 characters"],
            id="port-long",
        ),
        pytest.param(
            names.is_port_name,
            "-1--",
            [
                "must contain at least one letter (a-z)",
                "must not contain consecutive hyphens",
                "must not begin or end with a hyphen",
            ],
            id="port-all-wrong",
        ),
        pytest.param(names.is_config_map_key, "..a", ["must not start with '..'"], id="key"),
        pytest.param(names.is_env_var_name, "A.b-1", [], id="env"),
        pytest.param(
            names.is_env_var_name,
            "a=b",
            [
                "a valid environment variable name must consist only of printable ASCII "
                "characters other than '='"
            ],
            id="env-equals",
        ),
        pytest.param(names.is_c_identifier, "_a1", [], id="identifier"),
        pytest.param(names.is_percent, "25%", [], id="percent"),
        pytest.param(names.is_dns1035_label, "a-1", [], id="dns1035"),
        pytest.param(names.is_dns1123_subdomain_caseless, "A.b", [], id="caseless"),
    ],
)
def test_a_rule_says_what_is_wrong(
    check: Callable[[str], list[str]], text: str, want: list[str]
) -> None:
    assert check(text) == want


def test_newer_rules_call_the_unit_bytes() -> None:
    want = ["must be no more than 63 bytes"]
    assert names.is_dns1123_label("a" * 64, unit="bytes") == want


def test_three_parts_are_no_label_key() -> None:
    [problem] = names.is_qualified_name("a/b/c")
    assert problem.startswith("a valid label key must consist of alphanumeric characters")
    assert problem.endswith(
        "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
    )


def test_a_generate_name_may_end_in_a_dash() -> None:
    assert names.is_dns1123_subdomain(names.mask_trailing_dash("web-")) == []
    assert names.mask_trailing_dash("-") == "-"


@pytest.mark.parametrize(
    ("number", "valid"), [(0, False), (1, True), (65535, True), (65536, False)]
)
def test_ports_are_numbers_of_sixteen_bits(number: int, valid: bool) -> None:
    assert (names.is_port_number(number) == []) is valid
