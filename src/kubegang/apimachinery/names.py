"""Rules for names, label keys and label values, with upstream's texts.

Every function returns a list of complaints; an empty one means that the text is fine. The
lengths count bytes, since Go's do; yet older rules say "characters" and newer ones "bytes"
(measured on 1.37.2: names in metadata and in Pods are old, names in Workloads are new), so
the two functions that serve both take the word.

Pure.
"""

from __future__ import annotations

import re

LABEL_MAX_LENGTH = 63
SUBDOMAIN_MAX_LENGTH = 253

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_DNS1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = f"({_QUALIFIED})?"
_CONFIG_KEY = "[-._a-zA-Z0-9]+"
_C_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*"
_PERCENT = "[0-9]+%"

_LABEL_RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character"
)
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
    "'-' or '.', and must start and end with an alphanumeric character"
)
_CASELESS_SUBDOMAIN_RULE = (
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character"
)
_DNS1035_RULE = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
    "start with an alphabetic character, and end with an alphanumeric character"
)
_QUALIFIED_RULE = (
    "must consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character"
)
_LABEL_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, "
    "'-', '_' or '.', and must start and end with an alphanumeric character"
)
_CONFIG_KEY_RULE = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
_C_IDENTIFIER_RULE = (
    "a valid C identifier must start with alphabetic character or '_', "
    "followed by a string of alphanumeric characters or '_'"
)
_PERCENT_RULE = "a valid percent string must be a numeric string followed by an ending '%'"
_ENV_RULE = (
    "a valid environment variable name must consist only of printable ASCII characters "
    "other than '='"
)

_label = re.compile(_LABEL).fullmatch
_subdomain = re.compile(_SUBDOMAIN).fullmatch
_caseless_subdomain = re.compile(_SUBDOMAIN, re.IGNORECASE | re.ASCII).fullmatch
_dns1035 = re.compile(_DNS1035).fullmatch
_qualified = re.compile(_QUALIFIED).fullmatch
_label_value = re.compile(_LABEL_VALUE).fullmatch
_config_key = re.compile(_CONFIG_KEY).fullmatch
_c_identifier = re.compile(_C_IDENTIFIER).fullmatch
_percent = re.compile(_PERCENT).fullmatch
_port_characters = re.compile("[-a-z0-9]+").fullmatch
_a_letter = re.compile("[a-z]").search


def is_dns1123_label(text: str, *, unit: str = "characters") -> list[str]:
    """Check a DNS label, as names of Namespaces and containers are."""
    problems = _too_long(text, LABEL_MAX_LENGTH, unit=unit)
    if not _label(text):
        if _subdomain(text):
            problems.append("must not contain dots")
        else:
            problems.append(_mismatch(_LABEL_RULE, _LABEL, "my-name", "123-abc"))
    return problems


def is_dns1123_subdomain(text: str, *, unit: str = "characters") -> list[str]:
    """Check a DNS subdomain, as most objects' names are."""
    problems = _too_long(text, SUBDOMAIN_MAX_LENGTH, unit=unit)
    if not _subdomain(text):
        problems.append(_mismatch(_SUBDOMAIN_RULE, _SUBDOMAIN, "example.com"))
    return problems


def is_dns1123_subdomain_caseless(text: str) -> list[str]:
    """Check a DNS subdomain in which capitals may stand, as DRA drivers are checked."""
    problems = _too_long(text, SUBDOMAIN_MAX_LENGTH, unit="bytes")
    if not _caseless_subdomain(text):
        problems.append(_mismatch(_CASELESS_SUBDOMAIN_RULE, _SUBDOMAIN, "Example.com"))
    return problems


def is_dns1035_label(text: str) -> list[str]:
    """Check a DNS label that starts with a letter, as Services' names were."""
    problems = _too_long(text, LABEL_MAX_LENGTH)
    if not _dns1035(text):
        problems.append(_mismatch(_DNS1035_RULE, _DNS1035, "my-name", "abc-123"))
    return problems


def is_qualified_name(text: str) -> list[str]:
    """Check a label key or the like: a name with an optional DNS prefix and a slash."""
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        rule = _mismatch(_QUALIFIED_RULE, _QUALIFIED, "MyName", "my.name", "123-abc")
        optional = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"a valid label key {rule} {optional}"]
    problems: list[str] = []
    if slash and not prefix:
        problems.append("prefix part must be non-empty")
    elif slash:
        prefix_problems = is_dns1123_subdomain(prefix, unit="bytes")
        problems += [f"prefix part {problem}" for problem in prefix_problems]
    if not name:
        problems.append("name part must be non-empty")
    else:
        long = _too_long(name, LABEL_MAX_LENGTH, unit="bytes")
        problems += [f"name part {problem}" for problem in long]
    if not _qualified(name):
        rule = _mismatch(_QUALIFIED_RULE, _QUALIFIED, "MyName", "my.name", "123-abc")
        problems.append(f"name part {rule}")
    return problems


def is_label_value(text: str) -> list[str]:
    """Check the value of a label."""
    problems = _too_long(text, LABEL_MAX_LENGTH, unit="bytes")
    if not _label_value(text):
        problems.append(_mismatch(_LABEL_VALUE_RULE, _LABEL_VALUE, "MyValue", "my_value", "12345"))
    return problems


def is_path_segment_name(text: str) -> list[str]:
    """Check a name that only has to fit into a URL path, as Roles' names do."""
    if text in {".", ".."}:
        return [f"may not be '{text}'"]
    return is_path_segment_prefix(text)


def is_path_segment_prefix(text: str) -> list[str]:
    """Check the beginning of a name that must fit into a URL path."""
    return [f"may not contain '{character}'" for character in "/%" if character in text]


def is_config_map_key(text: str) -> list[str]:
    """Check a key of a ConfigMap or Secret."""
    problems = _too_long(text, SUBDOMAIN_MAX_LENGTH)
    if not _config_key(text):
        problems.append(
            _mismatch(_CONFIG_KEY_RULE, _CONFIG_KEY, "key.name", "KEY_NAME", "key-name")
        )
    return problems + _parent_directory(text)


def is_env_var_name(text: str) -> list[str]:
    """Check the name of an environment variable by the relaxed rule that 1.34 made general."""
    problems = [] if text else ["environment variable name must be non-empty"]
    if any(not " " <= character <= "~" or character == "=" for character in text):
        problems.append(_ENV_RULE)
    return problems


def is_c_identifier(text: str) -> list[str]:
    """Check an identifier of the kind that programming languages have."""
    if _c_identifier(text):
        return []
    return [_mismatch(_C_IDENTIFIER_RULE, _C_IDENTIFIER, "my_name", "MY_NAME", "MyName")]


def is_port_name(text: str) -> list[str]:
    """Check the name of a container's or Service's port."""
    problems = _too_long(text, 15)
    if not _port_characters(text):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not _a_letter(text):
        problems.append("must contain at least one letter (a-z)")
    if "--" in text:
        problems.append("must not contain consecutive hyphens")
    if text.startswith("-") or text.endswith("-"):
        problems.append("must not begin or end with a hyphen")
    return problems


def is_port_number(number: int) -> list[str]:
    """Check a port number."""
    return [] if 1 <= number <= 65535 else ["must be between 1 and 65535, inclusive"]


def is_percent(text: str) -> list[str]:
    """Check a percentage such as ``25%``."""
    return [] if _percent(text) else [_mismatch(_PERCENT_RULE, _PERCENT, "1%", "93%")]


def mask_trailing_dash(prefix: str) -> str:
    """Return a generateName as it is checked: the dash that a suffix will follow is fine."""
    return f"{prefix[:-2]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix


def _too_long(text: str, at_most: int, *, unit: str = "characters") -> list[str]:
    if len(text.encode()) <= at_most:
        return []
    return [f"must be no more than {at_most} {unit}"]


def _mismatch(rule: str, expression: str, *examples: str) -> str:
    # Upstream puts a comma and a blank after every example, and "or" between blanks.
    shown = ",  or ".join(f"'{example}'" for example in examples)
    return f"{rule} (e.g. {shown}, regex used for validation is '{expression}')"


def _parent_directory(text: str) -> list[str]:
    if text in {".", ".."}:
        return [f"must not be '{text}'"]
    return ["must not start with '..'"] if text.startswith("..") else []
