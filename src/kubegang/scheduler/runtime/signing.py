"""What about a pod decides where it may run: two pods with one signature are one problem.

Every plugin that filters or scores adds what it looks at. A plugin that looks at more than
the pod and single nodes says so, and the pod has no signature (KEP-5598). Pure.
"""

from __future__ import annotations

from collections.abc import Hashable

from kubegang.scheduler.framework.pods import PodInfo
from kubegang.scheduler.runtime.framework import Framework


def sign_pod(framework: Framework, pod: PodInfo) -> Hashable:
    """Return a pod's signature, or ``None`` if it has none.

    A profile with a filtering or scoring plugin that cannot sign has none for any pod.
    """
    if framework.sign_plugins is None:
        return None
    # Who refused the last pod most often refuses this one.
    if framework.unsigning is not None and framework.unsigning.sign_pod(pod) is None:
        return None
    fragments: list[Hashable] = [pod.scheduler_name]
    for plugin in framework.sign_plugins:
        fragment = plugin.sign_pod(pod)
        if fragment is None:
            framework.unsigning = plugin
            return None
        fragments.append(fragment)
    return tuple(fragments)
