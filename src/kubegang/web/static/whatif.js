// Suppositions about nodes, played through by the scheduler's own decisions; nothing is changed.

import { count, keep, make } from "./dom.js";

const MOST_NAMES = 200;

// Offer the names of nodes.
export function offerNodes(domains) {
  const names = domains.flatMap((domain) => domain.nodes.map((node) => node.name));
  keep(document.querySelector("#node-names"), names.slice(0, MOST_NAMES), {
    keyOf: (name) => name,
    create: (name) => make("option", { value: name }),
    update: () => {},
  });
}

// Ask whenever the form is sent; getJson fetches the answer.
export function answerForm(getJson) {
  const form = document.querySelector("#what-if");
  const answer = document.querySelector("#what-if-answer");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const given = [...new FormData(form)].filter(([, value]) => value && value !== "0");
    answer.replaceChildren("playing it through …");
    try {
      const report = await getJson(`/what-if?${new URLSearchParams(given)}`);
      answer.replaceChildren(...report.plans.map(planOf));
    } catch (error) {
      answer.replaceChildren(error.message);
    }
  });
}

function planOf(plan) {
  const binds = plan.binds.filter((one) => !one.anyway);
  const evictions = plan.evictions.filter((one) => !one.anyway);
  const lines = [
    ...byUnit(binds, (unit, pods) => `${unit} would start: ${count(pods, "pod")} would get a node`),
    ...byUnit(evictions, (unit, pods) => `${unit} would lose ${count(pods, "pod")}`),
    ...plan.pending.map((one) => `${one.unit} would go on waiting: ${one.message}`),
    ...plan.notes,
  ];
  const told = lines.length ? lines : ["nothing would change"];
  return make("ul", {}, ...told.map((line) => make("li", {}, line)));
}

function byUnit(items, text) {
  const pods = new Map();
  for (const { unit } of items) pods.set(unit, (pods.get(unit) ?? 0) + 1);
  return [...pods].map(([unit, number]) => text(unit, number));
}
