// One answer of a model or an agent, as its stream arrives: reasoning, tool calls, text, and what it used.
import { previews } from "./attaching.js";
import { h, icon, took } from "./dom.js";
import { linkFiles } from "./filelinks.js";
import { watchLive } from "./live.js";
import { showMarkdown } from "./markdown.js";
import { events } from "./sse.js";
import { _, locale, withNodes } from "./translation.js";

const END_NOTES = {
  length: _("The reply was cut off at its limit of tokens."),
  content_filter: _("The provider's content filter ended the reply."),
  refusal: _("The model declined to answer."),
};

/** A price as people read it: cents and more exactly, smaller ones with two digits. */
export function usd(amount) {
  const value = Number(amount);
  const digits = value >= 1 || value === 0 ? 2 : Math.max(2, 1 - Math.floor(Math.log10(value)));
  const money = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", useGrouping: false };
  return value.toLocaleString(locale, { ...money, minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Shows what somebody said. */
export function say(messages, message, files = []) {
  const article = h("article", { class: "msg user", "aria-label": _("You") }, h("span", { class: "said" }, message), previews(files));
  messages.append(article);
  messages.scrollTop = messages.scrollHeight;
  return article;
}

export class Answer {
  constructor(messages) {
    this.messages = messages;
    /** The kinds of records on the page "My records", by the first words of the names of the tools that keep them. */
    this.recordKinds = JSON.parse(messages.dataset.records);
    /** The ids of the user's providers by name. */
    this.providers = JSON.parse(messages.dataset.providers);
    this.text = "";
    this.began = performance.now();
    this.thoughts = h("div", { class: "thoughts" });
    this.reasoning = h("details", { class: "reasoning", hidden: "" }, h("summary", {}, _("Reasoning")), this.thoughts);
    this.calls = h("ul");
    this.called = h("summary");
    this.tools = h("details", { class: "calls", hidden: true }, this.called, this.calls);
    this.prose = h("div", { class: "prose" });
    this.previews = h("div");
    this.previewed = Promise.resolve();
    this.foot = h("div", { class: "meta" });
    const body = h("div", {}, this.reasoning, this.tools, this.prose, this.previews, this.foot);
    this.root = h("article", { class: "msg agent streaming", "aria-label": _("Answer") }, h("span", { class: "avatar" }, icon("bot", 16)), body);
    messages.append(this.root);
    this.stick();
  }

  stick() { this.messages.scrollTop = this.messages.scrollHeight; }

  draw() {
    this.frame = undefined;
    showMarkdown(this.prose, this.text);
    this.stick();
  }

  /** Draws the reply once a frame at most, because it is drawn whole each time. */
  drawSoon() { this.frame ??= requestAnimationFrame(() => this.draw()); }

  follow(chunk) {
    if (chunk.type === "text") {
      this.first ??= performance.now() - this.began;
      this.text += chunk.content;
      this.drawSoon();
    } else if (chunk.type === "reasoning") {
      this.reasoning.hidden = false;
      this.thoughts.append(chunk.content);
    } else if (chunk.type === "restart") {
      this.text = "";
      this.drawSoon();
    } else if (chunk.type === "tool_start") {
      this.calls.append(h("li", { class: "call busy", "data-tool": chunk.tool }, icon("loader-circle", 14), h("span", {}, chunk.tool)));
      this.summarize();
    } else if (chunk.type === "tool_end") {
      this.endCall(chunk.tool, chunk.status === "failed");
      if (chunk.connect_url) this.offerToConnect(chunk.tool, chunk.connect_url);
      if (chunk.files) this.previewed = this.previewed.then(() => this.showFiles(chunk.files));
    } else if (chunk.type === "waiting") {
      this.live = `/playground/conversations/${this.conversation}/answers/${chunk.run_id}`;
    } else if (chunk.type === "error") {
      throw new Error(chunk.message);
    } else if (chunk.type === "done") {
      this.conclude(chunk);
    }
    this.stick();
  }

  /** Calls run at the same time, so they may end in any order. */
  endCall(tool, failed) {
    const call = [...this.calls.querySelectorAll(".busy")].find(({ dataset }) => dataset.tool === tool);
    call?.classList.remove("busy");
    call?.classList.toggle("failed", failed);
    call?.firstElementChild.replaceWith(icon(failed ? "x" : "check", 14));
    if (!failed) this.records = this.recordKinds[tool.split("_")[0]] ?? this.records;
    if (failed) call?.lastElementChild.append(h("span", { class: "sr" }, ` ${_("failed")}`));
    this.summarize();
  }

  /** Shows the files that a tool made, below the text. */
  async showFiles(files) {
    const response = await fetch(`/files/previews?${new URLSearchParams(files.map((id) => ["id", id]))}`).catch(() => undefined);
    if (!response?.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    this.previews.append(...page.body.childNodes);
    this.stick();
  }

  /** The tool's server lets only people in who sign in there: one click leads to its page. */
  offerToConnect(tool, address) {
    const link = h("a", { class: "button small", href: address, target: "_blank", rel: "noopener" }, icon("plug", 14), _("Connect"));
    this.tools.after(h("div", { class: "notice warn" }, icon("plug"), h("div", {}, ...withNodes(_("{tool} needs you to sign in at its server."), { tool: h("code", {}, tool) }), " "), link));
  }

  /** One quiet line says how many calls there are and how they ended; the calls are behind it. */
  summarize() {
    const calls = [...this.calls.children];
    const failures = calls.filter(({ classList }) => classList.contains("failed")).length;
    const busy = calls.some(({ classList }) => classList.contains("busy"));
    this.tools.hidden = false;
    this.tools.classList.toggle("busy", busy);
    this.tools.classList.toggle("failed", failures > 0);
    const words = calls.length === 1
      ? withNodes(busy ? _("Uses {tool}") : failures ? _("Used {tool}, which failed") : _("Used {tool}"), { tool: h("code", {}, calls[0].dataset.tool) })
      : [failures ? _("{count} tool calls, {failures} failed", { count: calls.length, failures }) : _("{count} tool calls", { count: calls.length })];
    this.called.replaceChildren(icon(busy ? "loader-circle" : failures ? "circle-alert" : "check", 14), ...words);
  }

  conclude(chunk) {
    const first = this.first === undefined || this.first > chunk.execution_time_ms ? "" : ` · ${_("first word after {time}", { time: took(this.first) })}`;
    const price = chunk.cost_usd == null ? _("price unknown") : usd(chunk.cost_usd);
    const cost = chunk.tokens_used ? ` · ${price}` : "";
    const end = END_NOTES[chunk.finish_reason];
    if (end) this.foot.append(h("div", { class: "notice warn" }, icon("circle-alert"), h("div", {}, end)));
    if (chunk.citations?.length) this.foot.append(sources(chunk.citations));
    this.foot.append(`${took(chunk.execution_time_ms)} · ${_("{count} tokens", { count: chunk.tokens_used.toLocaleString(locale) })}${cost}${first} · `);
    this.foot.append(h("a", { href: `/runs/${chunk.run_id}` }, _("Steps")));
    if (this.records) this.foot.append(" · ", h("a", { href: `/records?kind=${this.records}` }, _("My records")));
    if (this.text) {
      const copy = h("button", { type: "button", class: "ghost icon-only", "data-copy-answer": true, "aria-label": _("Copy this answer"), title: _("Copy") }, icon("copy", 14));
      this.foot.append(h("span", { class: "answer-actions" }, copy));
    }
  }

  fail(error, requestId, tryAgain) {
    const logged = requestId ? h("a", { class: "request-link", href: `/requests/${encodeURIComponent(requestId)}` }, _("Request {id}", { id: requestId })) : "";
    const named = Object.entries(this.providers).filter(([name]) => error.message.includes(`'${name}'`));
    const links = named.flatMap(([name, id]) => [h("a", { href: `/models/${id}` }, _("Open the provider {name}", { name })), " "]);
    const notice = h("div", { class: "notice bad", role: "alert" }, icon("circle-alert"), h("div", {}, error.message, " ", ...links, logged));
    const again = tryAgain ? [h("button", { type: "button", class: "small" }, _("Try again"))] : [];
    if (tryAgain) again[0].onclick = tryAgain;
    this.foot.replaceChildren(notice, ...again);
  }

  end() {
    cancelAnimationFrame(this.frame);
    this.draw();
    this.root.classList.remove("streaming");
    this.previewed.finally(() => linkFiles(this.root));
    if (!this.live) return;
    // The run waits for a decision, and goes on after it without this request.
    this.root.dataset.live = this.live;
    watchLive(document);
  }
}

/** The passages that a reply refers to, each with a link to its place in the document. */
function sources(citations) {
  const rows = citations.map((one) => {
    const page = Math.ceil(one.passage / 10);
    const address = `/knowledge/collections/${one.collection_id}/documents/${one.document_id}?page=${page}#passage-${one.passage}`;
    const place = [one.section !== one.title && one.section, one.page && _("page {number}", { number: one.page })].filter(Boolean).join(", ");
    return h("li", {}, `[${one.number}] `, h("a", { href: address, title: one.quote }, one.title), place ? ` ${place}` : "");
  });
  return h("ul", { class: "sources", "aria-label": _("Sources") }, ...rows);
}

/** Sends a message and shows the answer. Returns "done", "failed" or "stopped". */
export async function converse(answer, body, signal, { onHeaders, onChunk, tryAgain } = {}) {
  let requestId;
  try {
    const answered = (headers) => {
      requestId = headers.get("X-Request-ID");
      answer.conversation = headers.get("X-Conversation-Id");
      onHeaders?.(headers);
    };
    for await (const chunk of events("/playground/chat", body, signal, answered)) {
      onChunk?.(chunk);
      answer.follow(chunk);
    }
    return "done";
  } catch (error) {
    if (error.name === "AbortError") answer.foot.append(_("Stopped."));
    else answer.fail(error, requestId, tryAgain);
    return error.name === "AbortError" ? "stopped" : "failed";
  } finally {
    answer.end();
  }
}
