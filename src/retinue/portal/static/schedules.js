// The form of a schedule: expressions to begin with.
const form = document.querySelector("form:has([name=cron])");
form.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-cron]");
  if (button) form.elements.cron.value = button.dataset.cron;
});
