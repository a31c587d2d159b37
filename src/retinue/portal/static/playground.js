// The playground: conversations with models and agents, one or two side by side, and the events of the stream on demand.
import { Answer, converse, say } from "./answers.js";
import { PROGRAMS } from "./codegen.js";
import { h, icon, took } from "./dom.js";
import { failure, post } from "./sse.js";
import { fillTimes } from "./times.js";
import { toast } from "./toast.js";
import { watchDictation } from "./dictation.js";
import { watchFiles } from "./attaching.js";
import { _, withNodes } from "./translation.js";

const $ = (selector) => document.querySelector(selector);
const form = $("#chat-form");
const settings = $("#settings");
const log = $("#events");
const text = form.elements.message;
const files = watchFiles(form);
watchDictation($("#dictate"), text);
const first = { messages: $("#messages"), conversation: form.dataset.conversation || undefined };
const second = { messages: $("#messages-2"), rival: true };
let running; // The columns that wait for an answer, and how to stop them.
let edited; // The message whose place the next one takes.

const draftKey = () => `draft:${first.conversation ?? "new"}`;
const comparing = () => !$("#second").hidden;

/** Whom a column talks to. An agent has its own model and settings. */
function partner(column, chosen) {
  const agent = Number(chosen.get(column.rival ? "rival_agent" : "agent")) || undefined;
  if (agent) return { agent_id: agent };
  return { model: chosen.get(column.rival ? "rival_model" : "model"), temperature: Number(chosen.get("temperature")) };
}

/** The request as the API expects it. */
function request(column, message, attachments = files.ids()) {
  const chosen = new FormData(settings);
  if (column.rival) for (const [name, value] of new FormData($("#rival"))) chosen.set(name, value);
  const mode = chosen.get("tool_mode");
  const body = { message, include: ["reasoning"], ...partner(column, chosen) };
  if (mode === "none") body.tools = [];
  if (mode === "some") body.tools = chosen.getAll("tools");
  if (column.conversation) body.conversation_id = column.conversation;
  if (edited && column === first) body.replace_from = Number(edited.dataset.id);
  if (attachments.length) body.attachments = attachments;
  return body;
}

/** Removes a message and all after it. */
function dropFrom(article) {
  while (article.nextElementSibling) article.nextElementSibling.remove();
  article.remove();
}

function edit(article) {
  edited = article;
  text.value = article.querySelector(".said").textContent;
  form.querySelector(".editing").hidden = false;
  text.focus();
}

function stopEditing() {
  edited = undefined;
  form.querySelector(".editing").hidden = true;
}

function answerAgain(article, changes = {}) {
  if (running) return;
  stopEditing();
  const message = article.querySelector(".said").textContent;
  const attachments = (article.dataset.files ?? "").split(" ").filter(Boolean);
  const body = { ...request(first, message, attachments), replace_from: Number(article.dataset.id), ...changes };
  while (article.nextElementSibling) article.nextElementSibling.remove();
  return send([[first, body]]);
}

/** Offers to edit the last messages of the user and to answer them again, once the server has them. */
function offerChanges() {
  for (const article of first.messages.querySelectorAll(".msg.user[data-id]:not(:has(.change))")) {
    const pencil = h("button", { type: "button", class: "ghost icon-only change", "aria-label": _("Edit this message") }, icon("pencil", 14));
    const again = h("button", { type: "button", class: "ghost icon-only change", "aria-label": _("Answer this message again") }, icon("rotate-ccw", 14));
    pencil.onclick = () => edit(article);
    again.onclick = () => answerAgain(article);
    article.append(h("span", { class: "changes" }, again, pencil));
  }
  offerAgain();
}

/** Offers to replace the last answer. */
function offerAgain() {
  for (const button of first.messages.querySelectorAll(".again")) button.remove();
  const article = [...first.messages.querySelectorAll(".msg.user[data-id]")].at(-1);
  const actions = first.messages.lastElementChild?.querySelector(".answer-actions");
  if (!article || !actions) return;
  const again = h("button", { type: "button", class: "ghost icon-only again", "aria-label": _("Regenerate this answer"), title: _("Regenerate") }, icon("refresh-cw", 14));
  again.onclick = () => answerAgain(article);
  actions.append(again);
  offerTool(article);
}

/** An answer that failed or was stopped before the page was loaded. */
first.messages.addEventListener("click", ({ target }) => {
  const article = [...first.messages.querySelectorAll(".msg.user[data-id]")].at(-1);
  if (article && target.closest("[data-try-again]")) answerAgain(article);
});

/** Offers to allow the tool that the last answer asks for, and to answer the message again with it. */
function offerTool(article) {
  const answer = first.messages.lastElementChild;
  const said = answer.querySelector(".prose").textContent.trim();
  const name = /[a-z][a-z0-9_]{2,63}$/.exec(said)?.[0];
  if (!name || !JSON.parse(form.dataset.permissions).some((text) => said.endsWith(text + name))) return;
  const allow = h("button", { type: "button", class: "small again allow" }, icon("shield-check", 14), ...withNodes(_("Allow {tool} for this message"), { tool: h("code", {}, name) }));
  allow.onclick = () => answerAgain(article, { tools: [name] });
  answer.querySelector(".prose").after(allow);
}

/** Takes over the ids that the server gave to new messages. */
async function readIds() {
  const unnamed = [...first.messages.querySelectorAll(".msg.user")];
  const response = await fetch(`/playground?conversation=${first.conversation}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const saved = [...page.querySelectorAll("#messages .msg.user")];
  for (let back = 1; back <= Math.min(unnamed.length, saved.length) && !unnamed.at(-back).dataset.id; back += 1) {
    unnamed.at(-back).dataset.id = saved.at(-back).dataset.id;
    unnamed.at(-back).dataset.files = saved.at(-back).dataset.files;
  }
  offerChanges();
}

function record(began, chunk) {
  const { type, ...rest } = chunk;
  const row = h("li", {}, h("span", {}, String(Math.round(performance.now() - began))), h("b", {}, type), h("code", {}, JSON.stringify(rest)));
  log.append(row);
  log.scrollTop = log.scrollHeight;
}

/** What can be done with the conversation, once it exists. */
function nameActions(id) {
  for (const element of document.querySelectorAll("[data-action]")) {
    element.setAttribute(element.nodeName === "A" ? "href" : "action", `/playground/conversations/${id}/${element.dataset.action}`);
  }
  $("#more").hidden = false;
}

/** Notes the conversation as soon as it exists: the answer may be stopped or fail before its end. */
function enter(column, id, message) {
  if (column === first && !first.conversation) {
    history.replaceState(null, "", `/playground?conversation=${id}`);
    const title = message.length > 60 ? `${message.slice(0, 59)}…` : message;
    $(".talk h1").textContent = title;
    $("#rename input").value = title;
    nameActions(id);
  }
  column.conversation = id;
}

function retry(column, answer, body) {
  if (running) return;
  answer.root.remove();
  if (text.value === body.message) text.value = "";
  return send([[column, { ...body, conversation_id: column.conversation }]]);
}

async function answerIn(column, body, signal) {
  const answer = new Answer(column.messages);
  const outcome = await converse(answer, body, signal, {
    onHeaders: (headers) => {
      if (headers.has("X-Conversation-Id")) enter(column, headers.get("X-Conversation-Id"), body.message);
      column.run = headers.get("X-Run-Id");
    },
    onChunk: (chunk) => {
      if (column === first) record(answer.began, chunk);
      if (chunk.type === "tool_start") offerSteering(column);
    },
    tryAgain: () => retry(column, answer, body),
  });
  column.run = undefined;
  if (outcome === "failed") text.value ||= body.message;
  if (column === first) $("#timing").textContent = outcome === "done" ? took(performance.now() - answer.began) : outcome === "stopped" ? _("stopped") : _("failed");
  if (outcome === "done") $("#said").textContent = _("Answer: {text}", { text: answer.text });
  return outcome;
}

/** While a reply uses tools, messages reach its run at the next step. */
function offerSteering(column) {
  column.steerable = true;
  document.body.classList.add("steerable");
  text.placeholder = _("Add something to the running reply");
}

async function steer(message) {
  const columns = running.columns.filter(({ run, steerable }) => run && steerable);
  if (!columns.length) return;
  text.value = "";
  for (const { run, messages } of columns) {
    try {
      const response = await post(`/runs/${run}/messages`, { body: new URLSearchParams({ message }) });
      if (!response.ok) throw await failure(response);
      const article = say(messages, message);
      article.append(h("small", {}, _("Sent to the running reply")));
      messages.lastElementChild.previousElementSibling?.before(article);
    } catch (error) {
      text.value ||= message;
      toast(error.message);
    }
  }
}

async function send(requests) {
  const stopper = new AbortController();
  running = { columns: requests.map(([column]) => column), stop: () => stopper.abort() };
  document.body.classList.add("streaming");
  log.replaceChildren();
  $("#timing").textContent = _("streaming");
  const outcomes = await Promise.all(requests.map(([column, body]) => answerIn(column, body, stopper.signal)));
  for (const column of running.columns) column.steerable = false;
  document.body.classList.remove("streaming", "steerable");
  text.placeholder = _("Message");
  running = undefined;
  // Without a session, a refresh would lead to the sign-in page before the error can be read.
  if (!outcomes.includes("failed")) {
    if (first.conversation) await readIds();
    const search = new URLSearchParams({ current: first.conversation ?? "", q: $(".talks input").value });
    await htmx.ajax("GET", `/playground/conversations?${search}`, { target: "#conversations", swap: "innerHTML" });
  }
  fillTimes(document);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const message = text.value.trim();
  if (!message || files.busy()) return;
  if (running) return steer(message);
  const columns = comparing() ? [first, second] : [first];
  const requests = columns.map((column) => [column, request(column, message)]);
  if (edited) dropFrom(edited);
  stopEditing();
  $("#blank")?.remove();
  if (comparing()) second.messages.querySelector(".hint")?.remove();
  for (const { messages } of columns) say(messages, message, files.all());
  text.value = "";
  keepDraft();
  const sent = send(requests);
  files.clear();
  text.focus();
  return sent;
});
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});
$("#keep").addEventListener("click", () => {
  stopEditing();
  text.value = "";
});
$("#stop").addEventListener("click", () => running?.stop());
for (const button of document.querySelectorAll("[data-say]")) {
  button.addEventListener("click", () => { text.value = button.dataset.say; form.requestSubmit(); });
}
// Until here, a click would do nothing, or send the form without the script.
for (const button of document.querySelectorAll("#send, [data-say]")) button.disabled = false;

/** An agent has its own model and tools. */
function adapt() {
  const chosen = new FormData(settings);
  const withAgent = Boolean(chosen.get("agent"));
  for (const field of document.querySelectorAll("[data-chat-only]")) field.hidden = withAgent;
  $("#default-tools").textContent = withAgent ? _("Its own") : _("Best matches");
  $("#some-tools").hidden = chosen.get("tool_mode") !== "some";
  const caution = $("#small-model");
  if (caution) caution.hidden = withAgent || !caution.dataset.models.split(" ").includes(chosen.get("model"));
  $("#heat").textContent = chosen.get("temperature");
  $("#first-name").textContent = nameOf(chosen, "agent", "model");
  const rival = $("#rival").elements;
  $("#rival-model").hidden = Boolean(rival.rival_agent.value);
}

function nameOf(chosen, agent, model) {
  return settings.elements[chosen.get(agent) ? agent : model].selectedOptions[0].label;
}

$(".play").addEventListener("input", adapt);
settings.elements.agent.addEventListener("change", () => {
  // A conversation keeps its agent, so another choice begins a new one.
  const agent = settings.elements.agent.value;
  if (first.conversation) location.assign(agent ? `/playground?agent=${agent}` : "/playground");
});
settings.addEventListener("submit", (event) => event.preventDefault());
$("#rival").addEventListener("submit", (event) => event.preventDefault());
$("#rival").addEventListener("change", () => {
  adapt();
  if (!second.conversation) return;
  second.conversation = undefined;
  second.messages.replaceChildren(h("p", { class: "hint" }, _("A new conversation begins with your next message.")));
});
$("#compare").addEventListener("click", ({ currentTarget }) => {
  const shown = $("#second").hidden;
  $("#second").hidden = !shown;
  $("#first-name").parentElement.hidden = !shown;
  currentTarget.setAttribute("aria-pressed", String(shown));
  $(".play").classList.toggle("comparing", shown);
  if (shown) stopEditing();
});
adapt();

/** The request as a program, in the language that is chosen. */
function program() {
  const { include, ...body } = request(first, text.value.trim() || _("What is 17% of 4,250?"));
  const language = new FormData($("#languages")).get("language");
  $("#program").textContent = PROGRAMS[language](`${form.dataset.address}/api/v1/chat`, { ...body, stream: true });
}
$("#languages").addEventListener("input", program);
$("#show-code").addEventListener("click", program);

function showSettings(shown) {
  $("#inspector").hidden = !shown;
  $("#show-settings").setAttribute("aria-expanded", String(shown));
}
$("#show-settings").addEventListener("click", () => showSettings($("#inspector").hidden));
$("#hide-settings").addEventListener("click", () => {
  showSettings(false);
  $("#show-settings").focus();
});
$("#show-talks").addEventListener("click", ({ currentTarget }) => {
  const shown = $(".play").classList.toggle("listing");
  currentTarget.setAttribute("aria-expanded", String(shown));
});
document.addEventListener("click", ({ target }) => { if (!target.closest("#more summary")) $("#more").open = false; });
document.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape" || !$("#more").open) return;
  $("#more").open = false;
  $("#more summary").focus();
});

/** Keeps what is being written, so that a reload or a visit to another page loses nothing. */
function keepDraft() {
  try {
    if (text.value && !edited) localStorage.setItem(draftKey(), text.value);
    else localStorage.removeItem(draftKey());
  } catch { /* Without storage, the text is kept as long as the page is open. */ }
}
text.addEventListener("input", keepDraft);
try {
  text.value ||= localStorage.getItem(draftKey()) ?? "";
} catch { /* As above. */ }

offerChanges();
first.messages.scrollTop = first.messages.scrollHeight;
