"""Secrets of type ``kubernetes.io/service-account-token`` are filled with a lasting token.

The Secret names its account by an annotation. Without that account, or with another one of
the same name, it is removed (kube-controller-manager's token controller, measured on 1.37.2).
"""

from __future__ import annotations

from base64 import b64decode, b64encode

from kubegang.apimachinery.errors import NotFoundError
from kubegang.apimachinery.objects import JsonObject
from kubegang.apimachinery.signedtokens import SigningKey
from kubegang.client.informer import Informer
from kubegang.client.interface import Client, Resource
from kubegang.client.resources import SERVICEACCOUNTS
from kubegang.client.workers import work
from kubegang.client.workqueue import WorkQueue

SECRETS = Resource("", "v1", "secrets", "Secret")
TYPE = "kubernetes.io/service-account-token"
ACCOUNT_NAME = "kubernetes.io/service-account.name"
ACCOUNT_UID = "kubernetes.io/service-account.uid"
WORKERS = 5

_ISSUER = "kubernetes/serviceaccount"
_CLAIM = "kubernetes.io/serviceaccount/"

Key = tuple[str, str]


class AccountTokens:
    """Reconciles Secrets, keyed by namespace and name."""

    def __init__(
        self,
        client: Client,
        *,
        secrets: Informer[JsonObject],
        accounts: Informer[JsonObject],
        key: SigningKey,
        certificate: str,
        queue: WorkQueue[Key],
    ) -> None:
        """Set up.

        Args:
            client: reads accounts and writes Secrets.
            secrets: all Secrets.
            accounts: all service accounts.
            key: signs the tokens.
            certificate: of the cluster's authority, PEM; goes into each Secret.
            queue: the Secrets to look at.
        """
        self._client = client
        self._secrets = secrets
        self._accounts = accounts
        self._key = key
        self._certificate = certificate
        self._queue = queue
        secrets.add_handler(
            on_add=self._secret_changed,
            on_update=lambda _old, new: self._secret_changed(new),
            on_delete=lambda _secret: None,
        )
        accounts.add_handler(
            on_add=self._account_changed,
            on_update=lambda _old, _new: None,
            on_delete=self._account_changed,
        )

    async def run(self) -> None:
        """Reconcile until cancelled."""
        await self._secrets.synced.wait()
        await self._accounts.synced.wait()
        await work(self._queue, self._reconcile, workers=WORKERS, failed="token not made, retrying")

    def _secret_changed(self, secret: JsonObject) -> None:
        if secret.get("type") == TYPE:
            self._queue.add((secret["metadata"]["namespace"], secret["metadata"]["name"]))

    def _account_changed(self, account: JsonObject) -> None:
        metadata = account["metadata"]
        for secret in self._secrets.items():
            there = secret["metadata"]
            if (there["namespace"], _account_of(secret)) == (
                metadata["namespace"],
                metadata["name"],
            ):
                self._secret_changed(secret)

    async def _reconcile(self, key: Key) -> None:
        secret = self._secrets.get(*key)
        if secret is None or "deletionTimestamp" in secret["metadata"]:
            return
        name = _account_of(secret)
        if not name:
            return
        account = await self._account(key[0], name)
        uid = (secret["metadata"].get("annotations") or {}).get(ACCOUNT_UID)
        if account is None or (uid and uid != account["metadata"]["uid"]):
            await self._remove(secret)
            return
        filled = self._filled(secret, account)
        if filled != secret:
            await self._client.update(SECRETS, filled)

    async def _account(self, namespace: str, name: str) -> JsonObject | None:
        """Return an account; the server is asked before a Secret is removed for want of one."""
        known = self._accounts.get(namespace, name)
        if known is not None:
            return known
        try:
            return await self._client.get(SERVICEACCOUNTS, name, namespace)
        except NotFoundError:
            return None

    async def _remove(self, secret: JsonObject) -> None:
        metadata = secret["metadata"]
        try:
            await self._client.delete(
                SECRETS,
                metadata["name"],
                metadata["namespace"],
                precondition_uid=metadata["uid"],
            )
        except NotFoundError:
            return

    def _filled(self, secret: JsonObject, account: JsonObject) -> JsonObject:
        """Return the Secret with token, namespace, certificate and the account's uid."""
        metadata, data = secret["metadata"], dict(secret.get("data") or {})
        if not data.get("token"):
            data["token"] = _encoded(self._token(secret, account))
        if not data.get("namespace"):
            data["namespace"] = _encoded(metadata["namespace"])
        if self._certificate and _decoded(data.get("ca.crt", "")) != self._certificate:
            data["ca.crt"] = _encoded(self._certificate)
        annotations = {**metadata["annotations"], ACCOUNT_UID: account["metadata"]["uid"]}
        return {**secret, "metadata": {**metadata, "annotations": annotations}, "data": data}

    def _token(self, secret: JsonObject, account: JsonObject) -> str:
        namespace, name = account["metadata"]["namespace"], account["metadata"]["name"]
        return self._key.sign(
            {
                "iss": _ISSUER,
                f"{_CLAIM}namespace": namespace,
                f"{_CLAIM}secret.name": secret["metadata"]["name"],
                f"{_CLAIM}service-account.name": name,
                f"{_CLAIM}service-account.uid": account["metadata"]["uid"],
                "sub": f"system:serviceaccount:{namespace}:{name}",
            }
        )


def _account_of(secret: JsonObject) -> str:
    return str((secret["metadata"].get("annotations") or {}).get(ACCOUNT_NAME) or "")


def _encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


def _decoded(text: str) -> str:
    return b64decode(text).decode(errors="replace")
