// Parts of a page that the server keeps current: <section data-live="/address"> is replaced inside by each event.
// An event holds the whole part, so a browser that reconnects is current again with the next one.
import { toast } from "./toast.js";

const RETRY_MS = 3000;
const open = new Map();
let isStale = false;

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
    isStale = false;
    await htmx.swap({ sourceElement: element, target: element, text: JSON.parse(data), swap: "innerMorph" });
    element.dispatchEvent(new CustomEvent("portal:swapped", { bubbles: true }));
  };
  // The browser reconnects after a lost connection, but not after an answer such as 503.
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    open.delete(element);
    if (!isStale) toast("This page is not up to date. Trying to reconnect…");
    isStale = true;
    setTimeout(() => watchLive(document), RETRY_MS);
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
