// The page: fetches the overview whenever the server says that something changed.

import { offerDeletion } from "./acts.js";
import { say, unitName } from "./dom.js";
import { showExplanation } from "./explanation.js";
import { showGangs } from "./gangs.js";
import { showNodes } from "./nodes.js";
import { showStory, storyOf } from "./story.js";
import { answerForm, offerNodes } from "./whatif.js";

const connection = document.querySelector("#connection");
const filter = document.querySelector("#filter");
const dialog = document.querySelector("#explanation");

let view = null;
let fetching = false;
let again = false;
let asked = null;

function render() {
  const { overview, story } = view;
  const unseen = overview.unseen.length ? `; not seen: ${overview.unseen.join("; ")}` : "";
  say(document.querySelector("#facts"), `Kubernetes ${overview.kubernetesVersion}${unseen}`);
  showGangs(overview.gangs, overview.taken, { filter: filter.value, explain });
  showNodes(overview);
  offerNodes(overview.domains);
  showStory(document.querySelector("#story"), story);
}

// One fetch at a time; a change during one asks for one more.
async function refresh() {
  if (fetching) {
    again = true;
    return;
  }
  fetching = true;
  try {
    do {
      again = false;
      view = await getJson("/overview");
      render();
      if (dialog.open) await fillExplanation();
    } while (again);
    say(connection, "live");
  } catch (error) {
    say(connection, `cannot read the cluster: ${error.message}`);
  } finally {
    fetching = false;
  }
}

async function getJson(path) {
  const answer = await fetch(path);
  if (answer.status === 401) location.reload();
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function explain(subject) {
  asked = subject;
  const gang = gangAsked();
  say(document.querySelector("#explanation-title"), unitName(gang ? gang.unit : subject));
  document.querySelector("#explanation-body").replaceChildren("asking the scheduler …");
  offerDeletion(dialog, gang);
  dialog.showModal();
  await fillExplanation();
}

async function fillExplanation() {
  const path = [asked.kind, asked.namespace, asked.name].map(encodeURIComponent).join("/");
  try {
    const report = await getJson(`/explain/${path}`);
    const gang = gangAsked();
    showExplanation(report, gang ? storyOf(view.story, gang.unit) : []);
  } catch (error) {
    document.querySelector("#explanation-body").replaceChildren(error.message);
  }
}

function gangAsked() {
  return view.overview.gangs.find((one) => sameSubject(one.subject, asked));
}

function sameSubject(one, other) {
  return one.kind === other.kind && one.namespace === other.namespace && one.name === other.name;
}

function follow() {
  const changes = new EventSource("/changes");
  changes.addEventListener("message", refresh);
  changes.addEventListener("error", () => {
    say(connection, "not connected; trying again");
    // A refusal ends the stream for good; only a new look tells whether to log in again.
    if (changes.readyState === EventSource.CLOSED) setTimeout(follow, 2000);
  });
}

answerForm(getJson);
filter.addEventListener("input", () => view && render());
follow();
