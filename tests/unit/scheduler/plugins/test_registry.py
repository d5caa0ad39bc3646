"""The table of plugins, and the rules that hold for all of them."""

from __future__ import annotations

import configparser
from pathlib import Path

import pytest

import kubegang.scheduler.plugins
from kubegang.app.profiles.table import RELEASES
from kubegang.scheduler.framework.errors import PluginConfigError
from kubegang.scheduler.plugins.registry import PLUGINS, build_plugins
from kubegang.testing.deciding import default_profile, framework_of
from tests.unit.scheduler.plugins.asking import ALL_OFF, context

FOLDER = Path(kubegang.scheduler.plugins.__path__[0])
ROOT = Path(__file__).parents[4]


def folders() -> list[str]:
    return sorted(path.parent.name for path in FOLDER.glob("*/__init__.py"))


def test_a_plugin_is_one_word_everywhere() -> None:
    for name, factory in PLUGINS.items():
        plugin = factory(context())
        assert type(plugin).__name__ == plugin.NAME == name
        folder = type(plugin).__module__.split(".")[-2]
        assert folder in (name.lower(), "noderesources")


def test_plugins_do_not_know_each_other_and_the_linter_knows_them_all() -> None:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    modules = contracts["importlinter:contract:plugins-independent"]["modules"].split()
    assert sorted(module.rpartition(".")[2] for module in modules) == folders()


def test_every_release_names_plugins_that_exist() -> None:
    for release in RELEASES:
        for profile in release.schedulers:
            framework_of(profile)
            names = {plugin.name for plugin in profile.plugins}
            assert names <= PLUGINS.keys()


def test_plugins_are_built_in_the_order_of_the_profile() -> None:
    plugins = framework_of(default_profile()).plugins
    want = [p.name for p in default_profile().plugins]
    assert [plugin.NAME for plugin in plugins] == want


def test_an_unknown_name_stops_the_start_up() -> None:
    with pytest.raises(PluginConfigError, match="unknown plugins: Unheard; known: DefaultBinder"):
        build_plugins(["Unheard"], gates=ALL_OFF, args={})


def test_arguments_of_plugins_that_are_not_there_do_not_matter() -> None:
    assert build_plugins([], gates=ALL_OFF, args={"Unheard": {"a": 1}}) == ()
