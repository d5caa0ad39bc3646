"""The functions that expressions of the API server may call, with the types they take.

One line per overload: function, cel-go's overload id where cost depends on it, what it takes
and gives; a dot before the first type makes it a member. The set is that of Kubernetes 1.37:
the language's own functions, and the libraries for strings, lists, sets, optionals, regular
expressions, URLs, addresses, networks, quantities, formats and semantic versions.

Pure.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from kubegang.apimachinery.cel import types
from kubegang.apimachinery.cel.types import CelType

QUANTITY: Final = CelType("kubernetes.Quantity")
SEMVER: Final = CelType("kubernetes.Semver")
URL: Final = CelType("kubernetes.URL")
IP: Final = CelType("net.IP")
CIDR: Final = CelType("net.CIDR")
FORMAT: Final = CelType("kubernetes.NamedFormat")

_COMPARED: Final = "bool int uint double string bytes timestamp duration"
_TABLE: Final = """
_==_ equals A A bool
_!=_ not_equals A A bool
_&&_ logical_and bool bool bool
_||_ logical_or bool bool bool
!_ logical_not bool bool
_?_:_ conditional bool A A A
@not_strictly_false not_strictly_false bool bool
-_ negate_int64 int int
-_ negate_double double double
_+_ add_int64 int int int
_+_ add_uint64 uint uint uint
_+_ add_double double double double
_+_ add_string string string string
_+_ add_bytes bytes bytes bytes
_+_ add_list list<A> list<A> list<A>
_+_ add_timestamp_duration timestamp duration timestamp
_+_ add_duration_timestamp duration timestamp timestamp
_+_ add_duration_duration duration duration duration
_-_ subtract_int64 int int int
_-_ subtract_uint64 uint uint uint
_-_ subtract_double double double double
_-_ subtract_timestamp_timestamp timestamp timestamp duration
_-_ subtract_timestamp_duration timestamp duration timestamp
_-_ subtract_duration_duration duration duration duration
_*_ multiply_int64 int int int
_*_ multiply_uint64 uint uint uint
_*_ multiply_double double double double
_/_ divide_int64 int int int
_/_ divide_uint64 uint uint uint
_/_ divide_double double double double
_%_ modulo_int64 int int int
_%_ modulo_uint64 uint uint uint
@in in_list A list<A> bool
@in in_map A map<A,B> bool
_[_] index_list list<A> int A
_[_] index_map map<A,B> A B
_[_] optional_list_index_value optional<list<A>> int optional<A>
_[_] optional_map_index_value optional<map<A,B>> A optional<B>
_[?_] list_optindex_optional_int list<A> int optional<A>
_[?_] optional_list_optindex_optional_int optional<list<A>> int optional<A>
_[?_] map_optindex_optional_value map<A,B> A optional<B>
_[?_] optional_map_optindex_optional_value optional<map<A,B>> A optional<B>
size size_string string int
size size_bytes bytes int
size size_list list<A> int
size size_map map<A,B> int
size string_size .string int
size bytes_size .bytes int
size list_size .list<A> int
size map_size .map<A,B> int
dyn to_dyn A dyn
type type A type<A>
bool bool_to_bool bool bool
bool string_to_bool string bool
bytes bytes_to_bytes bytes bytes
bytes string_to_bytes string bytes
double double_to_double double double
double int64_to_double int double
double uint64_to_double uint double
double string_to_double string double
duration duration_to_duration duration duration
duration int64_to_duration int duration
duration string_to_duration string duration
int int64_to_int64 int int
int uint64_to_int64 uint int
int double_to_int64 double int
int string_to_int64 string int
int timestamp_to_int64 timestamp int
int duration_to_int64 duration int
uint uint64_to_uint64 uint uint
uint int64_to_uint64 int uint
uint double_to_uint64 double uint
uint string_to_uint64 string uint
string string_to_string string string
string bool_to_string bool string
string int64_to_string int string
string uint64_to_string uint string
string double_to_string double string
string bytes_to_string bytes string
string timestamp_to_string timestamp string
string duration_to_string duration string
string ip_to_string net.IP string
string cidr_to_string net.CIDR string
timestamp timestamp_to_timestamp timestamp timestamp
timestamp int64_to_timestamp int timestamp
timestamp string_to_timestamp string timestamp
contains contains_string .string string bool
startsWith starts_with_string .string string bool
endsWith ends_with_string .string string bool
matches matches_string .string string bool
matches matches string string bool
getFullYear timestamp_to_year .timestamp int
getFullYear timestamp_to_year_with_tz .timestamp string int
getMonth timestamp_to_month .timestamp int
getMonth timestamp_to_month_with_tz .timestamp string int
getDate timestamp_to_day_of_month_1_based .timestamp int
getDate timestamp_to_day_of_month_1_based_with_tz .timestamp string int
getDayOfMonth timestamp_to_day_of_month .timestamp int
getDayOfMonth timestamp_to_day_of_month_with_tz .timestamp string int
getDayOfWeek timestamp_to_day_of_week .timestamp int
getDayOfWeek timestamp_to_day_of_week_with_tz .timestamp string int
getDayOfYear timestamp_to_day_of_year .timestamp int
getDayOfYear timestamp_to_day_of_year_with_tz .timestamp string int
getHours timestamp_to_hours .timestamp int
getHours timestamp_to_hours_with_tz .timestamp string int
getHours duration_to_hours .duration int
getMinutes timestamp_to_minutes .timestamp int
getMinutes timestamp_to_minutes_with_tz .timestamp string int
getMinutes duration_to_minutes .duration int
getSeconds timestamp_to_seconds .timestamp int
getSeconds timestamp_to_seconds_tz .timestamp string int
getSeconds duration_to_seconds .duration int
getMilliseconds timestamp_to_milliseconds .timestamp int
getMilliseconds timestamp_to_milliseconds_with_tz .timestamp string int
getMilliseconds duration_to_milliseconds .duration int
charAt string_char_at_int .string int string
indexOf string_index_of_string .string string int
indexOf string_index_of_string_int .string string int int
indexOf list_a_index_of_int .list<A> A int
lastIndexOf string_last_index_of_string .string string int
lastIndexOf string_last_index_of_string_int .string string int int
lastIndexOf list_a_last_index_of_int .list<A> A int
lowerAscii string_lower_ascii .string string
upperAscii string_upper_ascii .string string
trim string_trim .string string
replace string_replace_string_string .string string string string
replace string_replace_string_string_int .string string string int string
split string_split_string .string string list<string>
split string_split_string_int .string string int list<string>
substring string_substring_int .string int string
substring string_substring_int_int .string int int string
join list_join .list<string> string
join list_join_string .list<string> string string
format string_format .string list<dyn> string
strings.quote strings_quote string string
includes list_includes_dyn_dyn .dyn dyn bool
slice list_slice .list<A> int int list<A>
flatten list_flatten .list<list<A>> list<A>
flatten list_flatten_int .list<dyn> int list<dyn>
reverse list_reverse .list<A> list<A>
distinct list_distinct .list<A> list<A>
lists.range lists_range int list<int>
sets.contains list_sets_contains_list list<A> list<A> bool
sets.equivalent list_sets_equivalent_list list<A> list<A> bool
sets.intersects list_sets_intersects_list list<A> list<A> bool
find string_find_string .string string string
findAll string_find_all_string .string string list<string>
findAll string_find_all_string_int .string string int list<string>
url string_to_url string kubernetes.URL
isURL is_url_string string bool
getScheme url_get_scheme .kubernetes.URL string
getHost url_get_host .kubernetes.URL string
getHostname url_get_hostname .kubernetes.URL string
getPort url_get_port .kubernetes.URL string
getEscapedPath url_get_escaped_path .kubernetes.URL string
getQuery url_get_query .kubernetes.URL map<string,list<string>>
ip string_to_ip string net.IP
ip cidr_ip .net.CIDR net.IP
isIP is_ip string bool
ip.isCanonical ip_is_canonical string bool
family ip_family .net.IP int
isUnspecified ip_is_unspecified .net.IP bool
isLoopback ip_is_loopback .net.IP bool
isLinkLocalMulticast ip_is_link_local_multicast .net.IP bool
isLinkLocalUnicast ip_is_link_local_unicast .net.IP bool
isGlobalUnicast ip_is_global_unicast .net.IP bool
cidr string_to_cidr string net.CIDR
isCIDR is_cidr string bool
containsIP cidr_contains_ip_string .net.CIDR string bool
containsIP cidr_contains_ip_ip .net.CIDR net.IP bool
containsCIDR cidr_contains_cidr_string .net.CIDR string bool
containsCIDR cidr_contains_cidr .net.CIDR net.CIDR bool
prefixLength cidr_prefix_length .net.CIDR int
masked cidr_masked .net.CIDR net.CIDR
quantity string_to_quantity string kubernetes.Quantity
isQuantity is_quantity_string string bool
sign quantity_sign kubernetes.Quantity int
isGreaterThan quantity_is_greater_than .kubernetes.Quantity kubernetes.Quantity bool
isGreaterThan semver_is_greater_than .kubernetes.Semver kubernetes.Semver bool
isLessThan quantity_is_less_than .kubernetes.Quantity kubernetes.Quantity bool
isLessThan semver_is_less_than .kubernetes.Semver kubernetes.Semver bool
compareTo quantity_compare_to .kubernetes.Quantity kubernetes.Quantity int
compareTo semver_compare_to .kubernetes.Semver kubernetes.Semver int
asApproximateFloat quantity_get_float .kubernetes.Quantity double
asInteger quantity_get_int .kubernetes.Quantity int
isInteger quantity_is_integer .kubernetes.Quantity bool
add quantity_add .kubernetes.Quantity kubernetes.Quantity kubernetes.Quantity
add quantity_add_int .kubernetes.Quantity int kubernetes.Quantity
sub quantity_sub .kubernetes.Quantity kubernetes.Quantity kubernetes.Quantity
sub quantity_sub_int .kubernetes.Quantity int kubernetes.Quantity
semver string_to_semver string kubernetes.Semver
semver string_bool_to_semver string bool kubernetes.Semver
isSemver is_semver_string string bool
isSemver is_semver_string_bool string bool bool
major semver_major .kubernetes.Semver int
minor semver_minor .kubernetes.Semver int
patch semver_patch .kubernetes.Semver int
format.named format-named string optional<kubernetes.NamedFormat>
validate format-validate .kubernetes.NamedFormat string optional<list<string>>
optional.of optional_of A optional<A>
optional.ofNonZeroValue optional_ofNonZeroValue A optional<A>
optional.none optional_none optional<A>
optional.unwrap optional_unwrap list<optional<A>> list<A>
unwrapOpt optional_unwrapOpt .list<optional<A>> list<A>
value optional_value .optional<A> A
hasValue optional_hasValue .optional<A> bool
or optional_or_optional .optional<A> optional<A> optional<A>
orValue optional_orValue_value .optional<A> A A
first list_first .list<A> optional<A>
last list_last .list<A> optional<A>
cel.@mapInsert cel_@mapInsert_map_key_value map<A,B> A B map<A,B>
cel.@mapInsert cel_@mapInsert_map_map map<A,B> map<A,B> map<A,B>
"""

FORMAT_NAMES: Final = (
    "dns1123Label",
    "dns1123Subdomain",
    "dns1035Label",
    "qualifiedName",
    "dns1123LabelPrefix",
    "dns1123SubdomainPrefix",
    "dns1035LabelPrefix",
    "labelValue",
    "uri",
    "uuid",
    "byte",
    "date",
    "datetime",
)


class Overload(NamedTuple):
    """One form of a function."""

    id: str
    member: bool
    takes: tuple[CelType, ...]
    gives: CelType


@lru_cache(maxsize=1)
def functions() -> dict[str, list[Overload]]:
    """Return all overloads by function."""
    table: dict[str, list[Overload]] = {}
    for line in (*_TABLE.strip().splitlines(), *_generated()):
        name, ident, *parts = line.split(" ")
        member = parts[0].startswith(".")
        kinds = [_type(part.removeprefix(".")) for part in parts]
        table.setdefault(name, []).append(Overload(ident, member, tuple(kinds[:-1]), kinds[-1]))
    return table


def _generated() -> list[str]:
    """Return the lines of functions that many types have alike."""
    lines = []
    for operator, word in (
        ("_<_", "less"),
        ("_<=_", "less_equals"),
        ("_>_", "greater"),
        ("_>=_", "greater_equals"),
    ):
        for kind in _COMPARED.split():
            short = {"int": "int64", "uint": "uint64"}.get(kind, kind)
            lines.append(f"{operator} {word}_{short} {kind} {kind} bool")
        # Numbers of different types can be compared (since 1.28).
        for left, right in (
            ("int", "uint"),
            ("int", "double"),
            ("uint", "int"),
            ("uint", "double"),
            ("double", "int"),
            ("double", "uint"),
        ):
            lines.append(f"{operator} {word}_{left}_{right} {left} {right} bool")
    for kind in _COMPARED.split():
        lines.append(f"isSorted list_{kind}_is_sorted_bool .list<{kind}> bool")
        lines += [
            f"{name} list_{kind}_{name}_{kind} .list<{kind}> {kind}" for name in ("max", "min")
        ]
        lines.append(f"sort list_{kind}_sort .list<{kind}> list<{kind}>")
    lines += [
        f"sum list_{kind}_sum_{kind} .list<{kind}> {kind}"
        for kind in ["int", "uint", "double", "duration"]
    ]
    lines += [f"format.{name} format.{name} kubernetes.NamedFormat" for name in FORMAT_NAMES]
    return lines


def _type(text: str) -> CelType:
    name, bracket, rest = text.partition("<")
    if not bracket:
        return _NAMED.get(name) or (types.parameter(name) if len(name) == 1 else CelType(name))
    params, depth, start = [], 0, 0
    inside = rest[:-1]
    for position, char in enumerate(inside):
        depth += (char == "<") - (char == ">")
        if char == "," and not depth:
            params.append(inside[start:position])
            start = position + 1
    params.append(inside[start:])
    names = {"optional": "optional_type"}
    return CelType(names.get(name, name), *map(_type, params))


_NAMED: Final = {
    one.name: one
    for one in (
        types.BOOL,
        types.INT,
        types.UINT,
        types.DOUBLE,
        types.STRING,
        types.BYTES,
        types.DYN,
        types.TIMESTAMP,
        types.DURATION,
        QUANTITY,
        SEMVER,
        URL,
        IP,
        CIDR,
        FORMAT,
    )
}
