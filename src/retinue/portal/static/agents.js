// Trying an agent beside its form: saves the form, then sends the message. The conversation goes on while one edits.
import { Answer, converse, say } from "./answers.js";
import { failure, post } from "./sse.js";
import { _ } from "./translation.js";

const $ = (selector) => document.querySelector(selector);
const editor = $("#agent-form");
const form = $("#try-form");
const messages = $("#messages");
const text = form.elements.message;
let conversation;
let running;

/** Saves the form. Throws what the server says is wrong with it. */
async function save() {
  const response = await post(editor.action, { headers: { Accept: "application/json" }, body: new URLSearchParams(new FormData(editor)) });
  if (!response.ok) throw await failure(response);
}

async function send(message) {
  $("#hint")?.remove();
  say(messages, message);
  const answer = new Answer(messages);
  running = new AbortController();
  document.body.classList.add("streaming");
  try {
    await save();
  } catch (error) {
    answer.fail(new Error(_("Your changes are not saved. {reason}", { reason: error.message })));
    answer.end();
    text.value ||= message;
    return;
  }
  const body = { message, agent_id: Number(form.dataset.agent), include: ["reasoning"], conversation_id: conversation };
  const outcome = await converse(answer, body, running.signal, {
    onHeaders: (headers) => { conversation = headers.get("X-Conversation-Id") ?? conversation; },
  });
  if (outcome === "failed") text.value ||= message;
  $("#start-over").hidden = !conversation;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const message = text.value.trim();
  if (!message || running) return;
  if (!editor.reportValidity()) return;
  text.value = "";
  try {
    await send(message);
  } finally {
    running = undefined;
    document.body.classList.remove("streaming");
  }
});
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});
$("#stop").addEventListener("click", () => running?.abort());
$("#start-over").addEventListener("click", ({ currentTarget }) => {
  running?.abort();
  conversation = undefined;
  messages.replaceChildren();
  currentTarget.hidden = true;
  text.focus();
});
if (location.hash === "#try") text.focus({ preventScroll: true });
