// Parts of a page that the server keeps current: <section data-live="/address"> is replaced inside by each event.
// An event holds the whole part, so a browser that reconnects is current again with the next one.
import { toast } from "./toast.js";
import { _ } from "./translation.js";

const RETRY_MS = 3000;
const LONGEST_MS = 60_000;
const open = new Map();
let failures = 0;

export function watchLive(root) {
  if (document.hidden) return;
  for (const [element, source] of open) {
    if (!element.isConnected) { source.close(); open.delete(element); }
  }
  for (const element of root.querySelectorAll("[data-live]")) {
    if (!open.has(element) && !element.dataset.ended) follow(element);
  }
}

function follow(element) {
  const source = new EventSource(element.dataset.live);
  open.set(element, source);
  source.onmessage = async ({ data }) => {
    failures = 0;
    await htmx.swap({ sourceElement: element, target: element, text: JSON.parse(data), swap: "innerMorph" });
    element.dispatchEvent(new CustomEvent("portal:swapped", { bubbles: true }));
  };
  // The browser reconnects after a lost connection, but not after an answer such as 503.
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    open.delete(element);
    if (!failures) toast(_("This page is not up to date. Trying to reconnect… Reload it if that does not help."));
    setTimeout(() => watchLive(document), Math.min(RETRY_MS * 2 ** failures, LONGEST_MS));
    failures += 1;
  };
  source.addEventListener("end", () => { source.close(); element.dataset.ended = "yes"; });
}

function closeAll() {
  for (const source of open.values()) source.close();
  open.clear();
}

addEventListener("pagehide", closeAll);
addEventListener("pageshow", ({ persisted }) => { if (persisted) watchLive(document); });
// Browsers open six connections to a server over HTTP/1.1, for all tabs together.
document.addEventListener("visibilitychange", () => { if (document.hidden) closeAll(); else watchLive(document); });
