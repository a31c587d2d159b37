// Shows instants in the reader's zone and language: <time datetime="…Z" data-as="ago|moment|day|clock">.
import { locale } from "./translation.js";

const moment = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const day = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const exact = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "long" });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
const UNITS = [["hour", 3600], ["minute", 60]];

/** The number of days on the calendar from today: 40 hours ahead may be tomorrow or the day after. */
function daysAhead(date) {
  const midnight = (instant) => Date.UTC(instant.getFullYear(), instant.getMonth(), instant.getDate());
  return (midnight(date) - midnight(new Date())) / 86_400_000;
}

function ago(date) {
  const seconds = (date - Date.now()) / 1000;
  if (Math.abs(seconds) > 7 * 86400) return moment.format(date);
  if (Math.abs(seconds) >= 86400) return relative.format(daysAhead(date), "day");
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return relative.format(0, "second");
}

const FORMATS = { ago, moment: (date) => moment.format(date), day: (date) => day.format(date), clock: (date) => clock.format(date) };

export function fillTimes(root) {
  for (const element of root.querySelectorAll("time[data-as]")) {
    const date = new Date(element.dateTime);
    element.textContent = FORMATS[element.dataset.as](date);
    element.title = exact.format(date);
  }
  for (const element of root.querySelectorAll("[data-own-zone-name]")) {
    element.querySelector("b").textContent = Intl.DateTimeFormat().resolvedOptions().timeZone;
    element.hidden = false;
  }
}
setInterval(() => fillTimes(document), 30_000);
