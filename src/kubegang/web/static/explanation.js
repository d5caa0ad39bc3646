// The answer of kubegang explain, in a dialog.

import { make, unitName } from "./dom.js";
import { showStory } from "./story.js";

const HEADLINES = {
  scheduled: "runs",
  "would-start": "starts with the next attempt",
  "makes-room": "waits; room is made by the next attempt",
  unschedulable: "waits: no room",
  waiting: "waits and is not tried",
  error: "waits: a rule is broken",
};

// Show a report with the entries of the story that are about it.
export function showExplanation(report, entries) {
  const body = document.querySelector("#explanation-body");
  body.replaceChildren(...report.parts.flatMap(partOf));
  for (const note of [...(report.notes ?? []), ...(report.unseen ?? []).map((text) => `not seen: ${text}`)]) {
    body.append(make("p", {}, note));
  }
  if (entries.length) {
    const list = make("ol", { class: "story", reversed: "" });
    showStory(list, entries);
    body.append(make("h3", {}, "What happened"), list);
  }
}

function partOf(part) {
  const { subject } = part;
  return [
    make("h3", { "data-state": part.state }, `${subject.kind} ${unitName(subject)} ${HEADLINES[part.state]}`),
    facts(part),
    ...table("By topology domain", part.domains?.filter((one) => one.domain), {
      Domain: (one) => one.domain,
      Nodes: (one) => one.nodes,
      "Find room": (one) => one.placed,
      Missing: (one) => one.missing,
      Free: (one) => amounts(one.free),
      Refused: (one) => one.reasons.join("; "),
    }),
    ...table("Nodes that were refused, by shape", part.nodeClasses, {
      Nodes: (one) => one.nodes,
      "Such as": (one) => one.example,
      Refused: (one) => one.reasons.join("; "),
      Shape: (one) => one.shape,
    }),
    ...table("Nodes that come closest", part.near, {
      Node: (one) => one.node,
      Lacks: (one) => amounts(one.lacks),
    }),
    ...table("Who holds what is lacking", part.holders, {
      Who: (one) => `${one.kind} ${one.namespace}/${one.name}`,
      Pods: (one) => one.pods,
      Priority: (one) => one.priority,
      Holds: (one) => amounts(one.holds),
    }),
    ...table("What would let it start", part.changes, {
      "What to do": (one) => one.message,
      Size: (one) => one.size,
      "Smallest of its kind": (one) => (one.smallest ? "yes" : "not proven"),
    }),
    ...table("Where its pods are", part.bound, {
      Pod: (one) => one.name,
      Node: (one) => one.node,
      Domain: (one) => one.domain ?? "",
    }),
  ];
}

function facts(part) {
  const rows = [
    ["Why", part.message],
    ["kube-scheduler says", part.upstreamMessage],
    ["Members", part.quorum?.message],
    ...(part.totals ?? []).map((one) => [
      `In all, ${one.resource}`,
      `${one.needed} needed, ${one.exists} exist, ${one.free} free`,
    ]),
    ...(part.warnings ?? []).map((text) => ["Warning", text]),
    ["Preemption", part.room?.message],
    ["Next attempt", part.retry?.message],
  ];
  const shown = rows.filter(([, text]) => text);
  return make("dl", {}, ...shown.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]));
}

// Return a table with its title; nothing for no rows.
function table(title, items, columns) {
  if (!items?.length) return [];
  const head = Object.keys(columns).map((name) => make("th", { scope: "col" }, name));
  const rows = items.map((item) =>
    make("tr", {}, ...Object.values(columns).map((text) => make("td", {}, String(text(item))))),
  );
  return [
    make(
      "div",
      { class: "scroll", role: "region", "aria-label": title, tabindex: "0" },
      make(
        "table",
        {},
        make("caption", {}, title),
        make("thead", {}, make("tr", {}, ...head)),
        make("tbody", {}, ...rows),
      ),
    ),
  ];
}

function amounts(list) {
  return (list ?? []).map((one) => `${one.amount} ${one.resource}`).join(", ");
}
