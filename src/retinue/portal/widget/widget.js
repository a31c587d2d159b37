// The widget: a bubble in the corner of any page, or a whole page. It speaks AG-UI with a publishable key.
// Everything is built from nodes inside a shadow root; no HTML is parsed, so the page's policy needs no exception.
const script = document.currentScript;
const given = script.dataset;
const address = (path) => new URL(`agui/${encodeURIComponent(given.agent)}${path}`, script.src).href;
const isPage = given.mode === "page";
const SLOT = `retinue-chat:${new URL(script.src).host}:${given.agent}`;
const MOST_FILES = 3;
const MOST_BYTES = 4 << 20;
const PICTURES = /^image\/(png|jpeg|gif|webp)$/;
const FIRST_POLL_MS = 2000;
const LAST_POLL_MS = 15000;

const SHAPES = {
  chat: "M21 11.5a8.4 8.4 0 0 1-9 8.4 9.6 9.6 0 0 1-3.9-.8L3 20.5l1.5-4.3A8 8 0 0 1 3 11.5 8.5 8.5 0 0 1 12 3a8.5 8.5 0 0 1 9 8.5Z",
  x: "M18 6 6 18M6 6l12 12", send: "M12 19V5M5.5 11.5 12 5l6.5 6.5", stop: "M7 7h10v10H7z", plus: "M12 5v14M5 12h14",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1", clip: "m21 11-8.6 8.6a5.5 5.5 0 0 1-7.8-7.8l8.9-8.9a3.7 3.7 0 0 1 5.2 5.2l-8.9 8.9a1.8 1.8 0 0 1-2.6-2.6L15 6.7",
  file: "M14 3H6v18h12V7zM14 3v4h4",
};

let catalogue = {};
let language = "en"; // of the catalogue, and of the errors that the server reports

/** A message in the visitor's language. `{name}` in it is replaced by a value. */
const _ = (message, values = {}) => (catalogue[message] ?? message).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

/** Loads the messages in the language of the tag, else in the visitor's. If that fails, they are English. */
async function loadMessages() {
  const wanted = given.lang || navigator.languages.join();
  if (/^en\b/i.test(wanted)) return;
  const url = new URL(`widget/messages?lang=${encodeURIComponent(wanted)}`, script.src);
  const response = await fetch(url, { credentials: "omit", referrerPolicy: "no-referrer" }).catch(() => undefined);
  if (!response?.ok) return;
  catalogue = await response.json().catch(() => ({}));
  language = response.headers.get("Content-Language") ?? language;
}

function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat());
  return node;
}

function icon(name, size = 20) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  for (const [key, value] of Object.entries({ width: size, height: size, viewBox: "0 0 24 24", "aria-hidden": "true" })) svg.setAttribute(key, value);
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", SHAPES[name]);
  svg.append(path);
  return svg;
}

const random = (bytes) => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(bytes)))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");

/** What this browser remembers: the visitor's token opens the visitor's threads. */
const memory = {
  value: undefined,
  read() {
    try { this.value ??= JSON.parse(localStorage.getItem(SLOT)); } catch { /* storage is off: remember until the page is left */ }
    return (this.value ??= { visitor: `vis_${random(32)}` });
  },
  write(changes) {
    Object.assign(this.read(), changes);
    try { localStorage.setItem(SLOT, JSON.stringify(this.value)); } catch { /* see above */ }
  },
};

async function request(path, options = {}) {
  const headers = { Authorization: `Bearer ${given.key}`, "X-Visitor-Token": memory.read().visitor, "Accept-Language": language };
  if (options.body) headers["Content-Type"] = "application/json";
  const response = await fetch(address(path), { ...options, headers, credentials: "omit", referrerPolicy: "no-referrer" })
    .catch(() => { throw new Error(_("There is no connection. Check your network.")); });
  if (response.ok) return response;
  const told = await response.json().catch(() => undefined);
  throw Object.assign(new Error(told?.error?.message ?? _("The server answered with status {status}.", { status: response.status })), { status: response.status });
}

/** The events of a stream. */
async function* eventsOf(response) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  for (let rest = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
  }
}

const luminance = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
  .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);

class Chat {
  constructor() {
    this.host = h("div", { "data-mode": isPage ? "page" : "bubble", "data-retinue-chat": true });
    const root = this.host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
    root.adoptedStyleSheets = [sheet];
    this.log = h("div", { class: "log", tabindex: 0, role: "region", "aria-label": _("Messages") });
    this.status = h("p", { class: "sr", role: "status" });
    this.suggestions = h("div", { class: "suggestions" });
    this.chips = h("div", { class: "chips" });
    this.files = [];
    this.build(root);
    this.colorScheme = matchMedia("(prefers-color-scheme: dark)");
    this.colorScheme.addEventListener("change", () => this.dress());
    this.dress();
  }

  build(root) {
    this.title = h("h2", { id: "title" });
    this.subtitle = h("p");
    this.face = h("span", { class: "face", "aria-hidden": "true" });
    const fresh = h("button", { type: "button", "aria-label": _("New conversation"), title: _("New conversation") }, icon("plus"));
    fresh.onclick = () => this.begin();
    const close = h("button", { type: "button", "aria-label": _("Close the chat"), title: _("Close") }, icon("x"));
    close.onclick = () => this.toggle(false);
    const head = h("header", {}, this.face, h("div", {}, this.title, this.subtitle), fresh, ...(isPage ? [] : [close]));
    this.input = h("textarea", { rows: 1, maxlength: 4000, "aria-label": _("Your message"), placeholder: given.placeholder ?? _("Write a message"), autocomplete: "off" });
    this.picker = h("input", { type: "file", multiple: true, hidden: true, tabindex: -1, "aria-label": _("Files to attach") });
    this.attach = h("button", { type: "button", hidden: true, "aria-label": _("Attach a file"), title: _("Attach a file") }, icon("clip"));
    this.send = h("button", { class: "send", "aria-label": _("Send"), title: _("Send") }, icon("send"));
    this.stop = h("button", { class: "send", type: "button", hidden: true, "aria-label": _("Stop"), title: _("Stop") }, icon("stop"));
    this.form = h("form", {}, this.attach, this.input, this.send, this.stop);
    const small = h("p", { class: "small" }, given.note ?? _("Answers are written by AI and can be wrong."));
    this.panel = h(isPage ? "main" : "section", { class: "panel", ...(isPage ? {} : { role: "dialog", "aria-labelledby": "title", id: "panel" }), hidden: !isPage }, head, this.log, h("div", { class: "foot" }, this.chips, this.form, small, this.picker), this.status);
    this.launcher = h("button", { type: "button", class: given.label ? "launcher labelled" : "launcher", "aria-label": given.label ?? _("Chat"), "aria-haspopup": "dialog", "aria-expanded": "false", "aria-controls": "panel" }, icon("chat", 26), given.label ?? "");
    root.append(this.panel, ...(isPage ? [] : [this.launcher]));
    this.listen(root);
  }

  listen(root) {
    this.launcher.onclick = () => this.toggle(this.panel.hidden);
    this.form.onsubmit = (event) => { event.preventDefault(); this.submit(); };
    this.stop.onclick = () => request(`/threads/${this.thread}/cancel`, { method: "POST", body: "{}" }).catch(() => {});
    this.attach.onclick = () => this.picker.click();
    this.picker.onchange = () => this.addFiles([...this.picker.files]);
    this.input.oninput = () => this.grow();
    this.input.onkeydown = (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); this.submit(); }
    };
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !isPage && !this.panel.hidden) { event.stopPropagation(); this.toggle(false); }
      if (event.key === "Tab" && !isPage && matchMedia("(max-width: 480px)").matches) this.keepFocus(event, root);
    });
    root.addEventListener("click", (event) => {
      const button = event.target.closest?.("[data-copy-code]");
      if (button) navigator.clipboard?.writeText(button.closest(".code-block").querySelector("pre").textContent).then(() => this.say(_("Copied")));
    });
  }

  /** On a phone the chat covers the page, so the focus stays in it. */
  keepFocus(event, root) {
    const stops = [...this.panel.querySelectorAll("button:not([hidden]), textarea, a[href], [tabindex='0']")].filter((one) => one.offsetParent !== null || one === root.activeElement);
    const edge = event.shiftKey ? stops[0] : stops.at(-1);
    if (root.activeElement === edge) { event.preventDefault(); (event.shiftKey ? stops.at(-1) : stops[0]).focus(); }
  }

  get thread() { return memory.read().thread; }

  say(text) { this.status.textContent = text; }

  /** Colours, corner and words: the script tag's attributes come first, then the settings of the key. */
  dress(settings = this.settings ?? {}) {
    this.settings = settings;
    const chosen = (name) => given[name] || settings[name];
    const theme = chosen("theme") ?? "auto";
    this.host.dataset.theme = theme === "auto" ? (this.colorScheme.matches ? "dark" : "light") : theme;
    this.host.dataset.position = chosen("position") ?? "right";
    const color = chosen("color");
    if (/^#[0-9a-f]{6}$/i.test(color ?? "")) {
      const light = luminance(color);
      const isDark = this.host.dataset.theme === "dark";
      this.host.style.setProperty("--accent", color);
      this.host.style.setProperty("--accent-ink", 1.05 / (light + 0.05) >= (light + 0.05) / 0.05 ? "#fff" : "#000");
      this.host.style.setProperty("--focus", isDark === light < 0.25 ? "var(--ink)" : color);
    }
    const title = chosen("title") ?? _("Chat");
    this.title.textContent = title;
    this.face.textContent = [...title][0] ?? "";
    this.subtitle.textContent = chosen("subtitle") ?? "";
    this.subtitle.hidden = !this.subtitle.textContent;
    this.attach.hidden = !settings.accepts_files;
    this.host.setAttribute("lang", language);
  }

  async start() {
    document.body.append(this.host);
    try {
      this.dress(await (await request("")).json());
    } catch (error) {
      console.error(`Retinue chat: ${error.message}`);
      if (!isPage) return this.host.remove();
      this.note(_("This chat is not available."), true);
      this.form.hidden = true;
      return;
    }
    if (isPage || given.open === "true" || memory.read().open) this.toggle(true, isPage && window === window.top);
  }

  toggle(open, focus = true) {
    this.panel.hidden = !open;
    this.launcher.setAttribute("aria-expanded", String(open));
    this.launcher.firstChild.replaceWith(icon(open ? "x" : "chat", 26));
    this.host.toggleAttribute("data-open", open);
    if (!isPage) memory.write({ open });
    if (open && !this.shown) { this.shown = true; this.restore(); }
    if (focus) (open ? this.input : this.launcher).focus();
  }

  /** Begins another conversation. The visitor's limits stay the same. */
  begin() {
    this.generation = (this.generation ?? 0) + 1;
    memory.write({ thread: undefined });
    this.setBusy(false);
    this.draw([]);
    this.input.focus();
  }

  /** Shows the conversation as it stands, and goes on with an answer that is being written. */
  async restore() {
    if (!this.thread) return this.draw([]);
    try {
      const thread = await (await request(`/threads/${this.thread}`)).json();
      this.draw(thread.messages);
      if (thread.status === "running") await this.follow(() => request(`/threads/${this.thread}/events`));
      else if (thread.status === "waiting") this.wait();
      else if (thread.messages.at(-1)?.role === "user") this.note(_("The last message was not answered."), true, thread.messages.at(-1).content);
    } catch (error) {
      if (error.status === 404) return this.begin();
      this.note(error.message, true);
    }
  }

  /** The first words of an agent without a greeting of its own. */
  introduction() {
    const name = this.title.textContent;
    if (this.settings.documents) return _("Hello! I am {name}, and I answer questions from the documents that I was given. What would you like to know?", { name });
    return _("Hello! I am {name}, and I answer your questions by chat. How can I help you?", { name });
  }

  draw(messages) {
    this.log.replaceChildren();
    const greeting = given.greeting || this.settings.greeting;
    if (greeting) showMarkdown(this.bubble("agent"), greeting);
    else this.bubble("agent").append(h("p", {}, this.introduction()));
    for (const { role, content, metadata } of messages) {
      if (role === "user") this.own(content, metadata?.files);
      else if (role === "assistant") {
        const prose = this.bubble("agent");
        showMarkdown(prose, content);
        this.cite(prose, metadata?.sources);
        this.offer(prose, metadata?.artifacts);
      }
    }
    const offered = messages.length ? [] : this.settings.suggestions ?? [];
    this.suggestions.replaceChildren(...offered.map((text) => {
      const button = h("button", { type: "button" }, text);
      button.onclick = () => this.ask(text);
      return button;
    }));
    if (offered.length) this.log.append(this.suggestions);
    this.scroll();
  }

  bubble(side) {
    const content = h("div", { class: side === "agent" ? "prose" : "" });
    this.log.append(h("article", { class: `msg ${side}`, "aria-label": side === "agent" ? this.title.textContent : _("You") }, content));
    return content;
  }

  own(text, files) {
    const content = this.bubble("user");
    content.append(text);
    if (files) content.parentNode.append(h("div", { class: "files" }, icon("file", 15), files === 1 ? _("1 file") : _("{count} files", { count: files })));
  }

  cite(prose, sources) {
    if (!sources?.length) return;
    const rows = sources.map(({ number, title, section, page }) => h("li", {}, h("span", {}, `[${number}]`), h("span", {}, [title, section, page && _("page {page}", { page })].filter(Boolean).join(", "))));
    prose.parentNode.append(h("ul", { class: "sources", "aria-label": _("Sources") }, rows));
  }

  /** Shows the files that tools made for a reply: pictures as such, others to be saved. Their ids in the text become names. */
  offer(prose, artifacts) {
    if (!artifacts?.length) return;
    const texts = document.createTreeWalker(prose, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) for (const { id, name } of artifacts) texts.currentNode.data = texts.currentNode.data.replaceAll(id, name);
    const thread = this.thread;
    const rows = artifacts.map(({ id, name, mimeType, size }) => {
      const button = h("button", { type: "button", "aria-label": _("Save {name}", { name }) }, icon("file", 15), name);
      const load = async () => {
        const content = await (await request(`/threads/${thread}/files/${id}`)).blob();
        return new Promise((resolve) => {
          const reader = new FileReader();
          reader.onload = () => resolve(reader.result);
          reader.readAsDataURL(content);
        });
      };
      button.onclick = () => load().then((content) => h("a", { href: content, download: name }).click(), (error) => this.note(error.message, true));
      const row = h("li", {}, button);
      if (PICTURES.test(mimeType) && size <= MOST_BYTES) load().then((content) => { row.prepend(h("img", { src: content, alt: _("Preview of {name}", { name }) })); this.scroll(); }, () => {});
      return row;
    });
    prose.parentNode.append(h("ul", { class: "artifacts" }, rows));
  }

  note(text, bad = false, again) {
    const note = h("div", { class: bad ? "note bad" : "note" }, h("span", {}, text));
    if (again) {
      const button = h("button", { type: "button" }, _("Try again"));
      button.onclick = () => { note.remove(); this.ask(again); };
      note.append(button);
    }
    this.log.append(note);
    this.say(text);
    this.scroll();
    return note;
  }

  scroll() { this.log.scrollTop = this.log.scrollHeight; }

  grow() {
    this.input.style.height = "auto";
    this.input.style.height = `${this.input.scrollHeight}px`;
  }

  async addFiles(files) {
    this.picker.value = "";
    for (const file of files) {
      if (this.files.length >= MOST_FILES || file.size > MOST_BYTES) {
        this.note(_("You can attach at most {count} files of {size} MB each.", { count: MOST_FILES, size: MOST_BYTES >> 20 }), true);
        break;
      }
      const value = await new Promise((resolve) => {
        const reader = new FileReader();
        reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
        reader.readAsDataURL(file);
      });
      const kind = /^(image|audio|video)\//.exec(file.type)?.[1] ?? "document";
      const part = { type: kind, source: { type: "data", value, mimeType: file.type || "application/octet-stream" }, metadata: { name: file.name } };
      const remove = h("button", { type: "button", "aria-label": _("Remove {name}", { name: file.name }) }, icon("x", 14));
      const chip = h("span", {}, file.name, remove);
      remove.onclick = () => { this.files.splice(this.files.indexOf(part), 1); chip.remove(); this.input.focus(); };
      this.files.push(part);
      this.chips.append(chip);
    }
  }

  submit() {
    const text = this.input.value.trim();
    if (this.busy || !(text || this.files.length)) return;
    this.input.value = "";
    this.grow();
    this.ask(text, this.files.splice(0));
    this.chips.replaceChildren();
  }

  async ask(text, files = []) {
    if (this.busy) return;
    this.suggestions.remove();
    for (const note of this.log.querySelectorAll(".note")) note.remove();
    this.own(text, files.length);
    this.scroll();
    if (!this.thread) memory.write({ thread: crypto.randomUUID?.() ?? random(16) });
    const content = files.length ? [...(text ? [{ type: "text", text }] : []), ...files] : text;
    const body = { threadId: this.thread, runId: random(9), protocolVersion: "1.0", state: null, messages: [{ id: random(9), role: "user", content }], tools: [], context: [], forwardedProps: { keepRunning: true } };
    await this.follow(() => request("", { method: "POST", body: JSON.stringify(body) }), text);
  }

  setBusy(busy) {
    this.busy = busy;
    this.send.hidden = busy;
    this.stop.hidden = !busy;
  }

  /** Shows a run as it is streamed. If the connection breaks off, the run goes on, and so does this. */
  async follow(open, asked) {
    const generation = this.generation;
    const waiting = h("div", { class: "busy" }, h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")), h("span"));
    const label = waiting.lastChild;
    label.append(h("span", { class: "sr" }, _("The answer is being written")));
    this.setBusy(true);
    this.log.append(waiting);
    this.scroll();
    let started = false;
    let ended = false;
    const reply = { text: "", prose: undefined, frame: undefined };
    const paint = () => {
      reply.frame = undefined;
      const atEnd = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 80;
      if (reply.prose) showMarkdown(reply.prose, reply.text);
      if (atEnd) this.scroll();
    };
    try {
      const response = await open();
      started = true;
      for await (const event of eventsOf(response)) {
        if (generation !== this.generation) return;
        switch (event.type) {
          case "MESSAGES_SNAPSHOT": this.draw(event.messages); this.log.append(waiting); break;
          case "TEXT_MESSAGE_START":
            reply.text = "";
            reply.prose = this.bubble("agent");
            waiting.remove();
            break;
          case "TEXT_MESSAGE_CONTENT":
            reply.text += event.delta;
            reply.frame ??= requestAnimationFrame(paint);
            break;
          case "TEXT_MESSAGE_END": cancelAnimationFrame(reply.frame); paint(); this.log.append(waiting); break;
          case "STEP_STARTED": label.textContent = _("Looking it up"); this.log.append(waiting); this.scroll(); break;
          case "STEP_FINISHED": label.textContent = ""; break;
          case "CUSTOM":
            if (event.name === "sources" && reply.prose) this.cite(reply.prose, event.value);
            if (event.name === "artifacts") this.offer(reply.prose ?? this.bubble("agent"), event.value);
            break;
          case "RUN_ERROR": ended = true; this.note(event.message, true, asked); break;
          case "RUN_FINISHED":
            ended = true;
            if (event.outcome?.type === "interrupt") this.waits = true;
            else if (event.outcome?.type === "cancelled") this.note(_("Stopped."));
            else this.say(`${this.title.textContent}: ${reply.prose?.textContent ?? ""}`);
        }
      }
    } catch (error) {
      if (generation !== this.generation) return;
      if (!started) { ended = true; this.note(error.message, true, asked); }
    } finally {
      waiting.remove();
      if (generation === this.generation) { this.setBusy(false); this.scroll(); }
    }
    if (generation !== this.generation) return;
    if (!ended) await this.reconnect();
    if (this.waits) { this.waits = false; this.wait(); }
  }

  async reconnect() {
    this.setBusy(true);
    await new Promise((resolve) => { setTimeout(resolve, 1500); });
    this.setBusy(false);
    await this.restore();
  }

  /** A person has to approve something. Looks from time to time whether that has happened. */
  async wait() {
    const generation = this.generation;
    this.note(_("A member of the team has to approve this step. The answer appears here as soon as they have."));
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 1.5, LAST_POLL_MS)) {
      await new Promise((resolve) => { setTimeout(resolve, pause); });
      if (generation !== this.generation || this.busy) return;
      const thread = await request(`/threads/${this.thread}`).then((response) => response.json()).catch(() => undefined);
      if (!thread || thread.status === "waiting" || generation !== this.generation || this.busy) continue;
      if (thread.status === "running") return this.follow(() => request(`/threads/${this.thread}/events`));
      this.draw(thread.messages);
      return this.say(thread.messages.at(-1)?.content ?? "");
    }
  }
}

if (!given.agent || !given.key) console.error("Retinue chat: the script tag needs data-agent and data-key.");
else {
  const created = loadMessages().then(() => new Chat());
  const toggle = async (open) => (await created).toggle(open);
  const start = async () => (await created).start();
  window.RetinueChat = { open: () => toggle(true), close: () => toggle(false) };
  if (document.body) start();
  else document.addEventListener("DOMContentLoaded", start);
}
