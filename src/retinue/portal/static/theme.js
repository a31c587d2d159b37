// Runs before the page is painted, so that a chosen theme does not flash.
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch { /* Storage may be switched off: the system's theme holds. */ }
