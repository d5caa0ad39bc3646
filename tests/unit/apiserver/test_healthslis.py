"""How checks of health went, in the form that Prometheus reads (KEP-3466)."""

from __future__ import annotations

from kubegang.apiserver.healthslis import HealthSlis


def test_the_last_result_and_all_results_are_told() -> None:
    slis = HealthSlis()
    for well in (True, True, False):
        slis.note("readyz", "storage", well=well)
    slis.note("livez", "ping", well=True)

    told = slis.text().decode().splitlines()

    assert [line for line in told if not line.startswith("#")] == [
        'kubernetes_healthcheck{name="ping",type="livez"} 1',
        'kubernetes_healthcheck{name="storage",type="readyz"} 0',
        'kubernetes_healthchecks_total{name="ping",status="success",type="livez"} 1',
        'kubernetes_healthchecks_total{name="storage",status="error",type="readyz"} 1',
        'kubernetes_healthchecks_total{name="storage",status="success",type="readyz"} 2',
    ]
    assert [line for line in told if line.startswith("# TYPE")] == [
        "# TYPE kubernetes_healthcheck gauge",
        "# TYPE kubernetes_healthchecks_total counter",
    ]
