// One line that says what has just happened; screen readers hear it.
let timer;

export function toast(text) {
  const element = document.querySelector("#toast");
  element.textContent = text;
  element.classList.add("on");
  clearTimeout(timer);
  timer = setTimeout(() => element.classList.remove("on"), 4000);
}
