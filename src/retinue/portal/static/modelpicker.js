// Model pickers: turns the plain select of `model_picker` into a list with windows, prices and abilities, and a search.
import { h, icon } from "./dom.js";
import { _ } from "./translation.js";

const SEARCH_FROM = 11;

/** The details that the page has of each model, by name. The empty name means the default. */
function knownModels() {
  const known = new Map();
  const template = document.querySelector("#model-rows");
  for (const row of template?.content.querySelectorAll("[data-value]") ?? []) known.set(row.dataset.value, row);
  return known;
}

/** The choices of a select with the details of their models. */
function rowsOf(select) {
  const known = knownModels();
  return [...select.options].map((option) => {
    const group = option.parentElement.nodeName === "OPTGROUP" ? option.parentElement.label : "";
    const details = known.get(option.value)?.cloneNode(true).childNodes ?? [h("b", {}, option.label)];
    const node = h("div", { role: "option", class: "model-option", "aria-selected": "false" }, [...details]);
    node.dataset.value = option.value;
    return { node, group, value: option.value, words: `${group} ${option.label} ${node.textContent}`.toLowerCase() };
  });
}

let made = 0;

class Picker {
  constructor(root) {
    this.select = root.querySelector("select");
    this.about = root.querySelector(".model-about");
    this.label = root.querySelector("label");
    this.name = `models-${(made += 1)}`;
    this.button = h("button", { type: "button", class: "model-button", "aria-haspopup": "listbox", "aria-expanded": "false", id: `${this.name}-button` });
    this.select.hidden = true;
    this.select.after(this.button);
    this.label.htmlFor = this.button.id;
    this.label.id ||= `${this.name}-label`;
    this.button.setAttribute("aria-labelledby", `${this.label.id} ${this.button.id}`);
    for (const name of ["aria-invalid", "aria-describedby"]) {
      if (this.select.hasAttribute(name)) this.button.setAttribute(name, this.select.getAttribute(name));
    }
    this.button.onclick = () => this.open();
    this.button.onkeydown = (event) => {
      if (!["ArrowDown", "ArrowUp"].includes(event.key)) return;
      event.preventDefault();
      this.open();
    };
    this.select.addEventListener("change", () => this.show());
    addEventListener("pageshow", () => this.show()); // A browser restores the choice of a reloaded page late.
    this.show();
  }

  show() {
    this.button.replaceChildren(h("span", {}, this.select.selectedOptions[0]?.label ?? ""), icon("chevrons-up-down", 14));
    if (!this.about) return;
    const known = knownModels();
    const facts = (this.select.value ? known.get(this.select.value) : known.values().next().value)?.querySelector(".model-facts");
    this.about.replaceChildren(...(facts ? [facts.cloneNode(true)] : []));
  }

  open() {
    if (this.popup) return this.popup.hidePopover();
    this.rows = rowsOf(this.select);
    const searched = this.rows.length >= SEARCH_FROM;
    this.list = h("div", { role: "listbox", id: `${this.name}-list`, "aria-label": this.label.textContent, tabindex: searched ? "-1" : "0" });
    this.none = h("p", { class: "muted", hidden: true }, _("No model matches."));
    this.search = searched && h("input", {
      type: "search", role: "combobox", "aria-expanded": "true", "aria-controls": this.list.id, "aria-autocomplete": "list",
      "aria-label": _("Search models by name, provider or ability"), placeholder: _("Search models"), autocomplete: "off",
    });
    this.popup = h("div", { class: "model-popup", popover: "auto" }, this.search ? [this.search] : [], this.list, this.none);
    this.fill();
    this.button.parentElement.append(this.popup);
    this.listen();
    this.popup.showPopover();
    this.place();
    this.button.setAttribute("aria-expanded", "true");
    this.focus().focus();
    this.mark(this.rows.find(({ value }) => value === this.select.value) ?? this.rows[0]);
  }

  fill() {
    let group;
    let parent = this.list;
    for (const row of this.rows) {
      row.node.id = `${this.name}-${this.rows.indexOf(row)}`;
      if (row.group !== group) {
        group = row.group;
        const heading = h("b", { class: "model-group", id: `${row.node.id}-group` }, group);
        parent = group ? h("div", { role: "group", "aria-labelledby": heading.id }, heading) : this.list;
        if (group) this.list.append(parent);
      }
      parent.append(row.node);
    }
  }

  listen() {
    const { popup } = this; // The event comes late: another popup may be open by then.
    popup.addEventListener("toggle", ({ newState }) => { if (newState === "closed" && popup === this.popup) this.close(); });
    this.popup.addEventListener("click", ({ target }) => {
      const node = target.closest("[role=option]");
      if (node) this.choose(this.rows.find((row) => row.node === node));
    });
    this.popup.addEventListener("keydown", (event) => this.press(event));
    this.popup.addEventListener("input", (event) => { event.stopPropagation(); this.filter(); });
  }

  place() {
    const { left, bottom, top, width } = this.button.getBoundingClientRect();
    const wide = Math.min(Math.max(width, 400), innerWidth - 24);
    const below = innerHeight - bottom - 16;
    const above = top - 16;
    const up = below < 260 && above > below;
    const { style } = this.popup;
    style.width = `${wide}px`;
    style.left = `${Math.max(12, Math.min(left, innerWidth - wide - 12))}px`;
    style.maxHeight = `${Math.min(420, up ? above : below)}px`;
    if (up) style.bottom = `${innerHeight - top + 4}px`;
    else style.top = `${bottom + 4}px`;
  }

  focus() { return this.search || this.list; }

  seen() { return this.rows.filter(({ node }) => !node.hidden); }

  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of this.rows) row.node.hidden = !words.every((word) => row.words.includes(word));
    for (const group of this.list.querySelectorAll("[role=group]")) group.hidden = !group.querySelector("[role=option]:not([hidden])");
    this.none.hidden = this.seen().length > 0;
    this.mark(this.seen()[0]);
  }

  mark(row) {
    for (const { node } of this.rows) node.setAttribute("aria-selected", String(node === row?.node));
    this.marked = row;
    if (row) this.focus().setAttribute("aria-activedescendant", row.node.id);
    else this.focus().removeAttribute("aria-activedescendant");
    row?.node.scrollIntoView({ block: "nearest" });
  }

  press(event) {
    const seen = this.seen();
    const at = seen.indexOf(this.marked);
    const goals = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 8, PageUp: at - 8 };
    if (!this.search) Object.assign(goals, { Home: 0, End: seen.length - 1 });
    if (event.key in goals) this.mark(seen[Math.max(0, Math.min(seen.length - 1, goals[event.key]))]);
    else if (event.key === "Enter" && this.marked) this.choose(this.marked);
    else if (event.key === "Escape") this.leave(); // A search field would only be emptied.
    else if (event.key === "Tab") return this.popup.hidePopover();
    else if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
  }

  leave() {
    this.popup.hidePopover();
    this.close();
    this.button.focus();
  }

  choose(row) {
    this.leave();
    if (this.select.value === row.value) return;
    this.select.value = row.value;
    for (const type of ["input", "change"]) this.select.dispatchEvent(new Event(type, { bubbles: true }));
  }

  close() {
    this.button.setAttribute("aria-expanded", "false");
    this.popup?.remove();
    this.popup = undefined;
  }
}

export function watchModelPickers() {
  for (const root of document.querySelectorAll("[data-model-picker]")) new Picker(root);
}
