"""Whether what flags name can be used, told before anything starts."""

from __future__ import annotations

from kubegang.apiserver.admission.chain import UnknownPluginError, check_plugin_names
from kubegang.app.configuration import initial_nodes, resolve_profile, scheduler_configuration
from kubegang.app.errors import BadInputError
from kubegang.app.options import UpOptions
from kubegang.app.scheduler import check_profiles


def check_files(options: UpOptions) -> None:
    """Read the files that flags name, so that a broken one is told before anything starts.

    Raises:
        BadInputError: a file cannot be read or used; says where it is wrong.
    """
    version = resolve_profile(options)
    config = scheduler_configuration(options.config, version)
    if options.config:
        check_profiles(version, config)
    _check_admission_plugins(options)
    initial_nodes(options.nodes)


def _check_admission_plugins(options: UpOptions) -> None:
    for text in (options.enable_admission_plugins, options.disable_admission_plugins):
        try:
            check_plugin_names(name.strip() for name in text.split(",") if name.strip())
        except UnknownPluginError as error:
            raise BadInputError(str(error)) from error
