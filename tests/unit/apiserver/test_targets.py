from __future__ import annotations

import pytest

from kubegang.apiserver.targets import Target, parse_target


@pytest.mark.parametrize(
    ("path", "want"),
    [
        pytest.param("/api/v1/pods", Target("", "v1", "pods"), id="all-namespaces"),
        pytest.param(
            "/api/v1/namespaces/n/pods/p/status/",
            Target("", "v1", "pods", "n", "p", "status"),
            id="subresource-and-slash",
        ),
        pytest.param(
            "/apis/batch/v1/namespaces/n/jobs/j",
            Target("batch", "v1", "jobs", "n", "j"),
            id="group",
        ),
        pytest.param("/api/v1/nodes/a", Target("", "v1", "nodes", "", "a"), id="cluster-wide"),
        pytest.param("/api/v1/namespaces", Target("", "v1", "namespaces"), id="namespaces"),
        pytest.param(
            "/api/v1/namespaces/n", Target("", "v1", "namespaces", "n", "n"), id="one-namespace"
        ),
        pytest.param(
            "/api/v1/namespaces/n/finalize",
            Target("", "v1", "namespaces", "n", "n", "finalize"),
            id="part-of-a-namespace",
        ),
        pytest.param(
            "/api/v1/watch/namespaces/n/pods",
            Target("", "v1", "pods", "n", watch=True),
            id="old-watch",
        ),
        pytest.param(
            "/api/v1/namespaces/n/pods/p/a/b",
            Target("", "v1", "pods", "n", "p", "a", too_deep=True),
            id="too-deep",
        ),
        pytest.param("/api/v1", None, id="version"),
        pytest.param("/apis/batch/v1", None, id="group-version"),
        pytest.param("/healthz", None, id="no-resource"),
        pytest.param("", None, id="empty"),
    ],
)
def test_a_path_means_a_resource(path: str, want: Target | None) -> None:
    assert parse_target(path) == want
