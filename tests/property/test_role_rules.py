"""What a rule allows, and what rules cover, against a reference that tries everything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kubegang.apiserver.authorization.attributes import Attributes
from kubegang.apiserver.authorization.rules import PolicyRule, joined, missing_rules

VERBS = ("get", "list", "*")
GROUPS = ("", "apps", "*")
RESOURCES = ("pods", "pods/log", "pods/scale", "jobs", "*/scale", "*")
NAMES = ("", "a", "b")
PATHS = ("/a", "/a/b", "/a*", "*", "/b")


def _some(values: tuple[str, ...], least: int = 1) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), min_size=least, max_size=3, unique=True).map(tuple)


RESOURCE_RULES = st.builds(
    PolicyRule,
    verbs=_some(VERBS),
    api_groups=_some(GROUPS),
    resources=_some(RESOURCES),
    resource_names=_some(NAMES[1:], least=0),
)
PATH_RULES = st.builds(PolicyRule, verbs=_some(VERBS), non_resource_urls=_some(PATHS))
RULES = RESOURCE_RULES | PATH_RULES

QUESTIONS = (
    *(
        Attributes(
            verb,
            group=group,
            resource=resource.partition("/")[0],
            subresource=resource.partition("/")[2],
            name=name,
        )
        for verb in ("get", "list", "watch")
        for group in ("", "apps", "other")
        for resource in ("pods", "pods/log", "pods/scale", "jobs", "jobs/scale")
        for name in ("", "a", "b", "c")
    ),
    *(
        Attributes(verb, path=path)
        for verb in ("get", "list", "watch")
        for path in ("/a", "/a/b", "/abc", "/b", "/")
    ),
)


def reference(rule: PolicyRule, asked: Attributes) -> bool:
    """Return whether a rule allows something, by listing all that it may stand for."""
    if not {asked.verb, "*"} & set(rule.verbs):
        return False
    if asked.path:
        prefixes = {asked.path[:end] + "*" for end in range(len(asked.path) + 1)}
        return bool({asked.path, *prefixes} & set(rule.non_resource_urls))
    whole = asked.resource + (f"/{asked.subresource}" if asked.subresource else "")
    names = {whole, "*"} | ({f"*/{asked.subresource}"} if asked.subresource else set())
    if not {asked.group, "*"} & set(rule.api_groups) or not names & set(rule.resources):
        return False
    return not rule.resource_names or asked.name in rule.resource_names


@given(RULES)
def test_a_rule_allows_what_the_reference_says(rule: PolicyRule) -> None:
    for asked in QUESTIONS:
        assert rule.allows(asked) == reference(rule, asked), asked


@given(st.lists(RULES, max_size=3), RULES)
def test_rules_that_cover_another_allow_all_that_it_allows(
    held: list[PolicyRule], wanted: PolicyRule
) -> None:
    if missing_rules(held, [wanted]):
        return
    for asked in QUESTIONS:
        if wanted.allows(asked):
            assert any(rule.allows(asked) for rule in held), asked


@given(st.lists(RULES, max_size=3))
def test_every_rule_is_covered_by_itself(rules: list[PolicyRule]) -> None:
    assert missing_rules(rules, rules) == []


@given(st.lists(RULES, min_size=1, max_size=3))
def test_parts_joined_again_allow_the_same(rules: list[PolicyRule]) -> None:
    parts = joined(part for rule in rules for part in rule.parts())
    for asked in QUESTIONS:
        assert any(one.allows(asked) for one in parts) == any(one.allows(asked) for one in rules)
