// Parts of a page that the server keeps current: <section data-live="/address"> is replaced inside by each event.
// An event holds the whole part, so a browser that reconnects is current again with the next one.
const open = new Map();

export function watchLive(root) {
  for (const [element, source] of open) {
    if (!element.isConnected) { source.close(); open.delete(element); }
  }
  for (const element of root.querySelectorAll("[data-live]")) {
    if (!open.has(element)) follow(element);
  }
}

function follow(element) {
  const source = new EventSource(element.dataset.live);
  open.set(element, source);
  source.onmessage = async ({ data }) => {
    await htmx.swap({ sourceElement: element, target: element, text: JSON.parse(data), swap: "innerMorph" });
    element.dispatchEvent(new CustomEvent("portal:swapped", { bubbles: true }));
  };
  source.addEventListener("end", () => { source.close(); element.dataset.ended = "yes"; });
}

addEventListener("pagehide", () => {
  for (const source of open.values()) source.close();
  open.clear();
});
addEventListener("pageshow", ({ persisted }) => { if (persisted) watchLive(document); });
