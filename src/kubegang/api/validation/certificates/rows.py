"""Which rules the kinds of certificates.k8s.io have.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubegang.api.validation.certificates import requests
from kubegang.api.validation.kinds import KindRules
from kubegang.api.validation.metadata import MetadataRules
from kubegang.apimachinery.objects import GroupVersionKind

_NAMED = MetadataRules(requests.any_name)


CERTIFICATE_RULES: Mapping[GroupVersionKind, KindRules] = {
    GroupVersionKind("certificates.k8s.io", "v1", "CertificateSigningRequest"): KindRules(
        _NAMED,
        create=requests.validate_request,
        update=requests.validate_request_update,
        status=requests.validate_request_status,
        metadata_as_new=True,
        subresources={"approval": requests.validate_request_approval},
    )
}
