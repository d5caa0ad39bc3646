"""What checks of health found can be collected, under the names of Kubernetes components."""

from __future__ import annotations

from tests.component.apiharness import Api, api_test


@api_test
async def test_checks_are_counted_as_they_are_asked_for(api: Api) -> None:
    for _ in range(2):
        await api.get("/readyz")
    await api.get("/livez?exclude=ping")
    lines = (await api.get("/metrics/slis")).body.decode().splitlines()
    assert 'kubernetes_healthcheck{name="ping",type="readyz"} 1' in lines
    assert 'kubernetes_healthchecks_total{name="ping",status="success",type="readyz"} 2' in lines
    assert not [line for line in lines if 'name="ping"' in line and 'type="livez"' in line]
