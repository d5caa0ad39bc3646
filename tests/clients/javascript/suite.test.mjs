// @kubernetes/client-node: lists, informers, writes, patches, custom objects.
// Run by tests/clients/test_languages.py with KUBECONFIG and a namespace in the environment.

import assert from "node:assert/strict";
import { before, test } from "node:test";

import * as k8s from "@kubernetes/client-node";

const namespace = process.env.KUBEGANG_CLIENT_NAMESPACE;
const GROUP = "clients.example.com";
const config = new k8s.KubeConfig();

let core, batch, objects;

before(() => {
  config.loadFromFile(process.env.KUBECONFIG);
  core = config.makeApiClient(k8s.CoreV1Api);
  batch = config.makeApiClient(k8s.BatchV1Api);
  objects = k8s.KubernetesObjectApi.makeApiClient(config);
});

function configMap(name, data) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

function patched(type) {
  return k8s.setHeaderOptions("Content-Type", type);
}

// Resolves with the first value for which `holds` is true among those that `emitter` tells.
function told(emitter, event, holds) {
  return new Promise((resolve) => emitter.on(event, (value) => holds(value) && resolve(value)));
}

test("the version is told", async () => {
  const version = await config.makeApiClient(k8s.VersionApi).getCode();
  assert.match(version.gitVersion, /^v1\.3\d\./);
});

test("an object is created, read, replaced, listed and deleted", async () => {
  const created = await core.createNamespacedConfigMap({
    namespace,
    body: configMap("j-life", { a: "1" }),
  });
  created.data.b = "2";
  const replaced = await core.replaceNamespacedConfigMap({
    namespace,
    name: "j-life",
    body: created,
  });
  const listed = await core.listNamespacedConfigMap({
    namespace,
    fieldSelector: "metadata.name=j-life",
  });
  await core.deleteNamespacedConfigMap({ namespace, name: "j-life" });

  assert.deepEqual(replaced.data, { a: "1", b: "2" });
  assert.equal(listed.items.length, 1);
  await assert.rejects(
    core.readNamespacedConfigMap({ namespace, name: "j-life" }),
    (error) => error.code === 404,
  );
});

test("all four patch types are taken", async () => {
  await core.createNamespacedConfigMap({ namespace, body: configMap("j-patch", { a: "1" }) });
  const patch = (body, type, options = {}) =>
    core.patchNamespacedConfigMap({ namespace, name: "j-patch", body, ...options }, patched(type));

  await patch({ data: { b: "2" } }, k8s.PatchStrategy.StrategicMergePatch);
  await patch({ data: { a: null } }, k8s.PatchStrategy.MergePatch);
  await patch([{ op: "add", path: "/data/c", value: "3" }], k8s.PatchStrategy.JsonPatch);
  const applied = await patch(
    configMap("j-patch", { d: "4" }),
    k8s.PatchStrategy.ServerSideApply,
    { fieldManager: "me" },
  );

  assert.deepEqual(applied.data, { b: "2", c: "3", d: "4" });
});

test("an apply that conflicts is refused", async () => {
  const apply = (fieldManager, data) =>
    core.patchNamespacedConfigMap(
      { namespace, name: "j-apply", body: configMap("j-apply", data), fieldManager },
      patched(k8s.PatchStrategy.ServerSideApply),
    );
  await apply("one", { a: "1" });

  await assert.rejects(apply("two", { a: "2" }), (error) => error.code === 409);
});

test("a watch tells every change", async () => {
  const types = [];
  const watch = new k8s.Watch(config);
  let abort;
  const done = new Promise((resolve) => {
    abort = watch.watch(
      `/api/v1/namespaces/${namespace}/configmaps`,
      { fieldSelector: "metadata.name=j-watch" },
      (type) => {
        types.push(type);
        if (type === "DELETED") resolve();
      },
      () => {},
    );
  });
  await core.createNamespacedConfigMap({ namespace, body: configMap("j-watch", { a: "1" }) });
  const seen = configMap("j-watch", { a: "2" });
  await core.replaceNamespacedConfigMap({ namespace, name: "j-watch", body: seen });
  // What is deleted before the watch began would not be told.
  while (!types.includes("ADDED")) await new Promise((resolve) => setTimeout(resolve, 20));
  await core.deleteNamespacedConfigMap({ namespace, name: "j-watch" });
  await done;
  (await abort).abort();

  assert.ok(["ADDED", "MODIFIED"].includes(types[0]));
  assert.equal(types.at(-1), "DELETED");
});

test("an informer follows a Job to its end", async () => {
  const informer = k8s.makeInformer(config, `/apis/batch/v1/namespaces/${namespace}/jobs`, () =>
    batch.listNamespacedJob({ namespace }),
  );
  const complete = told(informer, "update", (job) => job.status?.succeeded === 2);
  await informer.start();
  const container = { name: "c", image: "registry.example/app:1" };
  await batch.createNamespacedJob({
    namespace,
    body: {
      metadata: { name: "j-job" },
      spec: {
        parallelism: 2,
        completions: 2,
        completionMode: "Indexed",
        template: {
          metadata: { annotations: { "kubegang.dev/run-duration": "1s" } },
          spec: { restartPolicy: "Never", containers: [container] },
        },
      },
    },
  });
  await complete;
  await informer.stop();

  assert.equal(informer.get("j-job", namespace).status.succeeded, 2);
});

test("a pod runs, and has no logs", async () => {
  await core.createNamespacedPod({
    namespace,
    body: {
      metadata: { name: "j-pod" },
      spec: { containers: [{ name: "c", image: "registry.example/app:1" }] },
    },
  });
  const informer = k8s.makeInformer(config, `/api/v1/namespaces/${namespace}/pods`, () =>
    core.listNamespacedPod({ namespace }),
  );
  const running = told(
    informer,
    "update",
    (pod) => pod.metadata.name === "j-pod" && pod.status.phase === "Running",
  );
  const there = told(
    informer,
    "add",
    (pod) => pod.metadata.name === "j-pod" && pod.status.phase === "Running",
  );
  await informer.start();
  await Promise.race([running, there]);
  await informer.stop();

  await assert.rejects(core.readNamespacedPodLog({ namespace, name: "j-pod" }), (error) =>
    JSON.stringify(error.body).includes("simulated node"),
  );
});

test("a custom kind is defined, used and scaled", async () => {
  // The client's name for the member "default".
  const size = { type: "integer", _default: 1 };
  const spec = { type: "object", _default: {}, properties: { size } };
  const schema = { type: "object", properties: { spec } };
  const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };
  const name = `jars.${GROUP}`;
  await objects.create({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: { kind: "Jar", plural: "jars" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: { scale },
        },
      ],
    },
  });
  const extensions = config.makeApiClient(k8s.ApiextensionsV1Api);
  const established = async () => {
    const { status } = await extensions.readCustomResourceDefinition({ name });
    return status?.conditions?.some((one) => one.type === "Established" && one.status === "True");
  };
  while (!(await established())) await new Promise((resolve) => setTimeout(resolve, 20));
  const custom = config.makeApiClient(k8s.CustomObjectsApi);
  const where = { group: GROUP, version: "v1", namespace, plural: "jars" };
  const made = await custom.createNamespacedCustomObject({
    ...where,
    body: { apiVersion: `${GROUP}/v1`, kind: "Jar", metadata: { name: "one" } },
  });
  await custom.patchNamespacedCustomObjectScale(
    { ...where, name: "one", body: { spec: { replicas: 5 } } },
    patched(k8s.PatchStrategy.MergePatch),
  );
  const found = await custom.getNamespacedCustomObject({ ...where, name: "one" });
  await extensions.deleteCustomResourceDefinition({ name });

  assert.equal(made.spec.size, 1);
  assert.equal(found.spec.size, 5);
});
