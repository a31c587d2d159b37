// The form of a schedule: expressions to begin with, and the reader's own time zone in a new one.
const form = document.querySelector("form:has([name=cron])");
form.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-cron]");
  if (button) form.elements.cron.value = button.dataset.cron;
});
const zone = form.querySelector("[data-own-zone]");
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && [...document.querySelectorAll("#zones option")].some(({ value }) => value === own)) zone.value = own;
