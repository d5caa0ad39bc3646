// Nodes by topology domain, with what is used and whose pods run there.

import { fillNodeButton, nodeButton } from "./acts.js";
import { colour, count, keep, make, say, unitName } from "./dom.js";

// Domains of clusters up to this size are open at first.
const FEW_NODES = 120;

// Show all domains of an overview.
export function showNodes({ keys, domains }) {
  const nodes = domains.reduce((sum, domain) => sum + domain.nodes.length, 0);
  const by = keys.length ? ` by ${keys.map(shortKey).join(", ")}` : "";
  say(document.querySelector("#nodes-summary"), nodes ? `${count(nodes, "node")}${by}` : "There are no nodes.");
  keep(document.querySelector("#domains"), domains, {
    keyOf: (domain) => `domain ${domain.path.join("/")}`,
    create: (domain) => domainBox(nodes <= FEW_NODES || domains.length === 1),
    update: fillDomain,
  });
}

function shortKey(key) {
  return key.slice(key.indexOf("/") + 1);
}

function domainBox(open) {
  const box = make(
    "details",
    open ? { open: "" } : {},
    make("summary", {}, make("span", { class: "name" }), make("span", { class: "totals" })),
    make("ul", { class: "nodes" }),
  );
  box.addEventListener("toggle", () => fillNodes(box, box.domain));
  return box;
}

function fillDomain(box, domain) {
  box.domain = domain;
  const [name, totals] = box.firstElementChild.children;
  say(name, domain.path.length ? domain.path.join(" / ") : "all nodes");
  say(totals, `${count(domain.nodes.length, "node")}; used: ${domain.uses.filter(isTold).map(useText).join(", ")}`);
  fillNodes(box, domain);
}

// What nobody sees is not made: a large cluster has more nodes than a browser likes.
function fillNodes(box, domain) {
  keep(box.lastElementChild, box.open ? domain.nodes : [], {
    keyOf: (node) => `node ${node.name}`,
    create: nodeBox,
    update: fillNode,
  });
}

function nodeBox(node) {
  return make(
    "li",
    {},
    make("h3", {}, node.name),
    make("p", { class: "notes" }),
    make("ul", { class: "uses" }),
    make("ul", { class: "pods", "aria-label": `Pods on ${node.name}` }),
    nodeButton(),
  );
}

function fillNode(box, node) {
  const [, notes, uses, pods, button] = box.children;
  say(notes, [node.unschedulable ? "cordoned" : "", ...node.taints].filter(Boolean).join(", "));
  keep(uses, node.uses.filter(isTold), {
    keyOf: (use) => use.resource,
    create: useBox,
    update: fillUse,
  });
  keep(pods, node.pods, {
    keyOf: (pod) => `${pod.namespace}/${pod.name}`,
    create: podBox,
    update: fillPod,
  });
  pods.hidden = node.pods.length === 0;
  if (button) fillNodeButton(button, node);
}

// Disk space and huge pages are rarely what anybody waits for.
function isTold(use) {
  return use.used !== "0" || !/^(ephemeral-storage|hugepages-)/.test(use.resource);
}

function useText(use) {
  return `${use.used} of ${use.allocatable} ${shortKey(use.resource)}`;
}

function useBox() {
  return make("li", {}, make("span"), make("span", { class: "bar", "aria-hidden": "true" }, make("span")));
}

function fillUse(box, use) {
  say(box.firstElementChild, useText(use));
  const bar = box.lastElementChild.firstElementChild;
  bar.style.width = `${Math.min(use.share, 1) * 100}%`;
  bar.classList.toggle("full", use.share >= 0.9);
}

function podBox() {
  return make("li", {}, make("span", { class: "hidden" }));
}

function fillPod(box, pod) {
  const text = `${pod.name}, of ${unitName(pod.unit)}${pod.runs ? "" : ", is starting"}`;
  box.className = `${colour(pod.unit)}${pod.runs ? "" : " starting"}`;
  box.title = text;
  say(box.firstElementChild, text);
}
