// The table of gangs and single pods, in the order of the queue.

import { colour, count, duration, keep, make, say, unitName } from "./dom.js";

const STATES = {
  running: "runs",
  starting: "is starting",
  "would-start": "starts next",
  unschedulable: "waits: no room",
  waiting: "waits",
  error: "waits: a rule is broken",
  finished: "finished",
};
const WAITING = ["unschedulable", "waiting", "error", "would-start"];

const keyOf = (gang) => `${gang.subject.kind}/${gang.subject.namespace}/${gang.subject.name}`;

// Show the gangs whose names contain a text; explain is called with what was clicked on.
export function showGangs(gangs, taken, { filter, explain }) {
  const waiting = gangs.filter((gang) => WAITING.includes(gang.state)).length;
  const running = gangs.filter((gang) => ["running", "starting"].includes(gang.state)).length;
  say(
    document.querySelector("#gangs-summary"),
    gangs.length ? `${waiting} waiting, ${running} running` : "There is nothing to schedule.",
  );
  const shown = gangs.filter((gang) => unitName(gang.unit).includes(filter));
  keep(document.querySelector("#gangs tbody"), shown, {
    keyOf,
    create: (gang) => row(gang, explain),
    update: (element, gang) => fill(element, gang, taken),
  });
}

function row(gang, explain) {
  const title = `${gang.subject.kind} ${gang.subject.namespace}/${gang.subject.name}`;
  const name = make("button", { type: "button", title }, unitName(gang.unit));
  name.addEventListener("click", () => explain(gang.subject));
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, swatch(gang.unit), name),
    make("td", {}, make("span", { class: "state" })),
    make("td"),
    make("td", { "data-label": "priority " }),
    make("td", { "data-label": "age " }),
    make("td", { class: "why" }),
  );
}

// The colour that its pods have on the nodes.
function swatch(unit) {
  return make("span", { class: `swatch ${colour(unit)}`, "aria-hidden": "true" });
}

function fill(element, gang, taken) {
  element.dataset.state = gang.state;
  const [, state, pods, priority, age, why] = element.children;
  say(state.firstElementChild, STATES[gang.state]);
  say(pods, members(gang));
  say(priority, String(gang.priority));
  say(age, gang.created ? duration(taken - gang.created) : "");
  say(why, gang.message || (gang.place ? `in ${gang.place}` : ""));
}

function members(gang) {
  if (gang.state === "finished") return "";
  const placed = `${gang.scheduled} of ${count(gang.exist, "pod")} placed`;
  return gang.needed ? `${placed}, needs ${gang.needed}` : placed;
}
