// What happened, the latest first.

import { keep, make, say, unitName } from "./dom.js";

const time = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

// Fill a list with entries.
export function showStory(list, entries) {
  const numbered = entries.map((entry, position) => ({ entry, position }));
  keep(list, numbered.reverse(), {
    keyOf: ({ entry }) => JSON.stringify(entry),
    create: () => make("li", {}, make("time"), make("span", { class: "unit" }), make("span")),
    update: fill,
  });
}

// Return the entries about one unit.
export function storyOf(entries, unit) {
  return entries.filter((entry) => entry.subjects.some((one) => sameUnit(one, unit)));
}

function sameUnit(one, other) {
  return one.kind === other.kind && one.namespace === other.namespace && one.name === other.name;
}

function fill(element, { entry }) {
  const moment = new Date(entry.at * 1000);
  const [at, unit, message] = element.children;
  at.dateTime = moment.toISOString();
  at.title = day.format(moment);
  say(at, time.format(moment));
  say(unit, entry.subjects.map(unitName).join(", "));
  say(message, entry.message);
}
