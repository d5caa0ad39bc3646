"""What tests of clients share."""

from __future__ import annotations

import pytest

from kubegang.app.certificates import CertificateAuthority
from tests.contract.api_app import Api
from tests.contract.tlsserver import NOW


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.fixture(scope="module")
def authority() -> CertificateAuthority:
    return CertificateAuthority.create(now=NOW)
