// The playground: conversations with the model or with an agent. The events of the stream can be shown beside them.
import { PROGRAMS } from "./codegen.js";
import { h, icon, took } from "./dom.js";
import { showMarkdown } from "./markdown.js";
import { events } from "./sse.js";
import { fillTimes } from "./times.js";
import { watchFiles } from "./attaching.js";

const $ = (selector) => document.querySelector(selector);
const form = $("#chat-form");
const settings = $("#settings");
const messages = $("#messages");
const log = $("#events");
const text = form.elements.message;
const files = watchFiles(form);
let conversation = form.dataset.conversation || undefined;
let running;
let edited; // The message whose place the next one takes.

/** The request as the API expects it. An agent has its own model and settings. */
function request(message) {
  const chosen = new FormData(settings);
  const agent = Number(chosen.get("agent")) || undefined;
  const mode = chosen.get("tool_mode");
  const body = { message, include: ["reasoning"] };
  if (agent) body.agent_id = agent;
  else Object.assign(body, { model: chosen.get("model"), temperature: Number(chosen.get("temperature")) });
  if (mode === "none") body.tools = [];
  if (mode === "some") body.tools = chosen.getAll("tools");
  if (conversation) body.conversation_id = conversation;
  if (edited) body.replace_from = Number(edited.dataset.id);
  if (files.ids().length) body.attachments = files.ids();
  return body;
}

function say(message, names) {
  $("#blank")?.remove();
  const attached = names.length ? [h("small", {}, `With ${names.join(", ")}`)] : [];
  messages.append(h("article", { class: "msg user", "aria-label": "You" }, h("span", { class: "said" }, message), ...attached));
}

function reply() {
  const thoughts = h("div", { class: "thoughts" });
  const reasoning = h("details", { class: "reasoning", hidden: "" }, h("summary", {}, "Reasoning"), thoughts);
  const parts = { reasoning, thoughts, calls: h("ul", { class: "calls" }), text: h("div", { class: "prose" }), foot: h("div", { class: "meta" }) };
  const body = h("div", {}, parts.reasoning, parts.calls, parts.text, parts.foot);
  parts.root = h("article", { class: "msg agent streaming", "aria-label": "Answer" }, h("span", { class: "avatar" }, icon("bot", 16)), body);
  messages.append(parts.root);
  return parts;
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

function answerAgain(article) {
  if (running) return;
  stopEditing();
  const message = article.querySelector(".said").textContent;
  const attachments = (article.dataset.files ?? "").split(" ").filter(Boolean);
  const body = { ...request(message), replace_from: Number(article.dataset.id) };
  if (attachments.length) body.attachments = attachments;
  while (article.nextElementSibling) article.nextElementSibling.remove();
  return send(body);
}

/** Offers to edit the last messages of the user and to answer them again, once the server has them. */
function offerChanges() {
  for (const article of messages.querySelectorAll(".msg.user[data-id]:not(:has(.change))")) {
    const pencil = h("button", { type: "button", class: "ghost icon-only change", "aria-label": "Edit this message" }, icon("pencil", 14));
    const again = h("button", { type: "button", class: "ghost icon-only change", "aria-label": "Answer this message again" }, icon("rotate-ccw", 14));
    pencil.onclick = () => edit(article);
    again.onclick = () => answerAgain(article);
    article.append(h("span", { class: "changes" }, again, pencil));
  }
}

/** Takes over the ids that the server gave to new messages. */
async function readIds() {
  const unnamed = [...messages.querySelectorAll(".msg.user")].at(-1);
  const response = await fetch(`/playground?conversation=${conversation}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const saved = [...page.querySelectorAll("#messages .msg.user")].at(-1);
  if (!unnamed || !saved) return;
  unnamed.dataset.id = saved.dataset.id;
  unnamed.dataset.files = saved.dataset.files;
  offerChanges();
}

function record(began, chunk) {
  const { type, ...rest } = chunk;
  const row = h("li", {}, h("span", {}, String(Math.round(performance.now() - began))), h("b", {}, type), h("code", {}, JSON.stringify(rest)));
  log.append(row);
  log.scrollTop = log.scrollHeight;
}

function draw(parts, state) {
  state.frame = undefined;
  showMarkdown(parts.text, state.text);
  stick();
}

/** Draws the reply once a frame at most, because it is drawn whole each time. */
function drawSoon(parts, state) {
  state.frame ??= requestAnimationFrame(() => draw(parts, state));
}

function follow(parts, chunk, state) {
  if (chunk.type === "text") {
    state.first ??= performance.now() - state.began;
    state.text += chunk.content;
    drawSoon(parts, state);
  } else if (chunk.type === "reasoning") {
    parts.reasoning.hidden = false;
    parts.thoughts.append(chunk.content);
  } else if (chunk.type === "restart") {
    state.text = "";
    drawSoon(parts, state);
  } else if (chunk.type === "tool_start") {
    parts.calls.append(h("li", { class: "call busy" }, icon("loader-circle", 14), chunk.tool));
  } else if (chunk.type === "tool_end") {
    const call = parts.calls.querySelector(".busy");
    const failed = chunk.status === "failed";
    call?.classList.remove("busy");
    call?.classList.toggle("failed", failed);
    call?.firstElementChild.replaceWith(icon(failed ? "x" : "check", 14));
    if (failed) call?.append(h("span", { class: "sr" }, "failed"));
  } else if (chunk.type === "waiting") {
    parts.foot.append("The next step needs approval. ", h("a", { href: `/runs/${chunk.run_id}` }, "See the run"));
  } else if (chunk.type === "error") {
    throw new Error(chunk.message);
  } else if (chunk.type === "done") {
    conclude(parts, chunk, state);
  }
  stick();
}

function conclude(parts, chunk, state) {
  const first = state.first === undefined ? "" : ` · first word after ${took(state.first)}`;
  const cost = Number(chunk.cost_usd) ? ` · $${Number(chunk.cost_usd).toPrecision(2)}` : "";
  if (chunk.finish_reason === "length") {
    parts.foot.append(h("div", { class: "notice warn" }, icon("circle-alert"), h("div", {}, "The reply was cut off at its limit of tokens.")));
  }
  if (chunk.citations?.length) parts.foot.append(sources(chunk.citations));
  parts.foot.append(`${took(chunk.execution_time_ms)} · ${chunk.tokens_used.toLocaleString()} tokens${cost}${first} · `);
  parts.foot.append(h("a", { href: `/runs/${chunk.run_id}` }, "Steps"));
}

/** The passages that a reply refers to, each with a link to its place in the document. */
function sources(citations) {
  const rows = citations.map((one) => {
    const page = Math.ceil(one.passage / 10);
    const address = `/knowledge/collections/${one.collection_id}/documents/${one.document_id}?page=${page}#passage-${one.passage}`;
    const place = [one.section, one.page && `page ${one.page}`].filter(Boolean).join(", ");
    return h("li", { value: one.number }, h("a", { href: address, title: one.quote }, one.title), place ? ` ${place}` : "");
  });
  return h("ol", { class: "sources", "aria-label": "Sources" }, ...rows);
}

/** Notes the conversation as soon as it exists: the answer may be stopped or fail before its end. */
function enter(id, message) {
  if (!conversation) {
    history.replaceState(null, "", `/playground?conversation=${id}`);
    $(".talk h2").textContent = message.length > 60 ? `${message.slice(0, 59)}…` : message;
  }
  conversation = id;
}

const stick = () => { messages.scrollTop = messages.scrollHeight; };

function fail(parts, error, body, requestId) {
  text.value ||= body.message;
  const again = h("button", { type: "button", class: "small" }, "Try again");
  again.onclick = () => {
    if (running) return;
    parts.root.remove();
    if (text.value === body.message) text.value = "";
    send({ ...body, conversation_id: conversation });
  };
  const logged = requestId ? h("a", { class: "request-link", href: `/requests/${encodeURIComponent(requestId)}` }, `Request ${requestId}`) : "";
  parts.foot.replaceChildren(h("div", { class: "notice bad", role: "alert" }, icon("circle-alert"), h("div", {}, error.message, " ", logged)), again);
}

async function send(body) {
  const parts = reply();
  const state = { began: performance.now(), text: "" };
  const answered = (headers) => {
    state.requestId = headers.get("X-Request-ID");
    if (headers.has("X-Conversation-Id")) enter(headers.get("X-Conversation-Id"), body.message);
  };
  running = new AbortController();
  document.body.classList.add("streaming");
  log.replaceChildren();
  $("#timing").textContent = "streaming";
  let failed = false;
  stick();
  try {
    for await (const chunk of events("/playground/chat", body, running.signal, answered)) {
      record(state.began, chunk);
      follow(parts, chunk, state);
    }
    $("#timing").textContent = took(performance.now() - state.began);
    $("#said").textContent = `Answer: ${state.text}`;
  } catch (error) {
    failed = error.name !== "AbortError";
    $("#timing").textContent = failed ? "failed" : "stopped";
    if (failed) fail(parts, error, body, state.requestId);
    else parts.foot.append("Stopped.");
  } finally {
    cancelAnimationFrame(state.frame);
    draw(parts, state);
    parts.root.classList.remove("streaming");
    document.body.classList.remove("streaming");
    running = undefined;
    // Without a session, a refresh would lead to the sign-in page before the error can be read.
    if (!failed && conversation) await readIds();
    if (!failed) await htmx.ajax("GET", `/playground/conversations?current=${conversation ?? ""}`, { target: "#conversations", swap: "innerHTML" });
    fillTimes(document);
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const message = text.value.trim();
  if (!message || running || files.busy()) return;
  const body = request(message);
  if (edited) dropFrom(edited);
  stopEditing();
  say(message, files.names());
  text.value = "";
  const sent = send(body);
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
$("#stop").addEventListener("click", () => running?.abort());
for (const button of document.querySelectorAll("[data-say]")) {
  button.addEventListener("click", () => { text.value = button.dataset.say; form.requestSubmit(); });
}

/** An agent has its own model and tools. */
function adapt() {
  const chosen = new FormData(settings);
  const withAgent = Boolean(chosen.get("agent"));
  for (const field of settings.querySelectorAll("[data-chat-only]")) field.hidden = withAgent;
  $("#default-tools").textContent = withAgent ? "Its own" : "Best matches";
  $("#some-tools").hidden = chosen.get("tool_mode") !== "some";
  $("#heat").textContent = chosen.get("temperature");
}
settings.addEventListener("input", adapt);
settings.elements.agent.addEventListener("change", () => {
  // A conversation keeps its agent, so another choice begins a new one.
  const agent = settings.elements.agent.value;
  if (conversation) location.assign(agent ? `/playground?agent=${agent}` : "/playground");
});
settings.addEventListener("submit", (event) => event.preventDefault());
adapt();

/** The request as a program, in the language that is chosen. */
function program() {
  const { include, ...body } = request(text.value.trim() || "What is 17% of 4,250?");
  const language = new FormData($("#languages")).get("language");
  $("#program").textContent = PROGRAMS[language](`${form.dataset.address}/api/v1/chat`, { ...body, stream: true });
}
$("#languages").addEventListener("input", program);
$("#show-code").addEventListener("click", program);
$("#show-stream").addEventListener("click", (event) => {
  const panel = $(".inspect");
  panel.hidden = !panel.hidden;
  event.currentTarget.setAttribute("aria-expanded", String(!panel.hidden));
});
offerChanges();
stick();
