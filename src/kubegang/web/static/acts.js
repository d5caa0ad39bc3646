// What may be changed from the page, each act behind a dialog that names what it changes.
// The dialog is there only if whoever started the page allowed it; without it nothing is offered.

import { make, say, unitName } from "./dom.js";

const dialog = document.querySelector("#act");
const title = document.querySelector("#act-title");
const what = document.querySelector("#act-what");
const told = document.querySelector("#act-told");
const close = document.querySelector("#act-close");
const confirm = document.querySelector("#act-confirm");

close?.addEventListener("click", () => dialog.close());

// Return a node's button, or null where nothing may be changed.
export function nodeButton() {
  return dialog && make("button", { type: "button", class: "act" });
}

// Let a node's button do what can be done with it now.
export function fillNodeButton(button, { name, unschedulable }) {
  const word = unschedulable ? "Uncordon" : "Cordon";
  const effect = unschedulable ? "takes pods again" : "takes no further pods; those on it stay";
  say(button, `${word} ${name}`);
  button.onclick = () =>
    ask(`${word} node ${name}?`, [list("Will be changed", [`Node ${name}: ${effect}`])], {
      word,
      path: "/acts/cordon",
      body: { node: name, unschedulable: !unschedulable },
    });
}

// Offer in an explanation to delete the gang that it is about.
export function offerDeletion(explanation, gang) {
  explanation.querySelector(".act")?.remove();
  const name = dialog && gang && nameOf(gang);
  if (!name) return;
  const button = make("button", { type: "button", class: "act" }, `Delete ${name.kind} ${unitName(name)} …`);
  button.onclick = () => {
    explanation.close();
    askDeletion(name);
  };
  explanation.querySelector("h2").after(button);
}

// Groups of 1.35, whose names have a slash, are no objects of their own.
function nameOf({ unit, subject }) {
  if (unit.kind === "Job") return unit;
  return subject.kind === "PodGroup" && !subject.name.includes("/") ? subject : null;
}

async function askDeletion({ kind, namespace, name }) {
  const question = `Delete ${kind} ${unitName({ namespace, name })}?`;
  try {
    const answer = await fetch(`/acts/deletion/${[kind, namespace, name].map(encodeURIComponent).join("/")}`);
    if (!answer.ok) throw new Error(await textOf(answer));
    const { deleted, follows, notes } = await answer.json();
    const parts = [
      list("Will be deleted", deleted.map(objectText)),
      list("Goes with it, since it belongs to it", follows.map(objectText)),
      list("To be known before", notes),
    ];
    ask(question, parts, {
      word: "Delete",
      path: "/acts/delete",
      body: { gang: { kind, namespace, name }, uids: deleted.map((one) => one.uid) },
    });
  } catch (error) {
    ask(question, [make("p", {}, error.message)], null);
  }
}

const objectText = ({ kind, namespace, name }) => `${kind} ${namespace}/${name}`;

function list(heading, items) {
  if (!items.length) return "";
  return make("div", {}, make("h3", {}, heading), make("ul", {}, ...items.map((item) => make("li", {}, item))));
}

// Show what an act would change; without an act only what there is to say. The way out comes
// first, so that Enter alone changes nothing.
function ask(question, parts, act) {
  say(title, question);
  what.replaceChildren(...parts);
  say(told, "");
  say(close, act ? "Cancel" : "Close");
  confirm.hidden = !act;
  if (act) {
    say(confirm, act.word);
    confirm.onclick = () => carryOut(act);
  }
  dialog.showModal();
}

async function carryOut({ path, body }) {
  close.focus();
  confirm.hidden = true;
  say(close, "Close");
  say(told, "asking the cluster …");
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    say(told, answer.ok ? "Done." : `Not done: ${await textOf(answer)}`);
  } catch (error) {
    say(told, `No answer, so it may be done or not: ${error.message}`);
  }
}

async function textOf(answer) {
  return `${await answer.text()} (${answer.status})`;
}
