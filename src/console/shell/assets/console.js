// Adds copy buttons and a selection of all rows to pages, lets the space bar press links that look like buttons, and
// removes messages after a while. Pages work without it.
function offerCopies(root) {
  for (const button of root.querySelectorAll('button[data-copy]')) button.hidden = false;
}
/** Browsers offer no clipboard to pages over plain HTTP, but they copy a selection. */
async function copyTextOf(element) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(element.textContent);
    return;
  }
  getSelection().selectAllChildren(element);
  document.execCommand('copy');
}
document.addEventListener('click', async (event) => {
  const button = event.target.closest?.('button[data-copy]');
  if (!button) return;
  await copyTextOf(document.getElementById(button.dataset.copy));
  const before = [...button.childNodes];
  button.replaceChildren('Copied');
  setTimeout(() => button.replaceChildren(...before), 1500);
});
// On a phone, the tabs scroll, and the tab of the page may be outside of the screen.
document.querySelector('.tabs [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
// The space bar presses a button, and so a link that looks like one.
document.addEventListener('keydown', (event) => {
  if (event.key !== ' ' || !event.target.matches?.('a[role="button"]')) return;
  event.preventDefault();
  event.target.click();
});
// The checkbox in the head of a table selects all rows.
function offerSelections() {
  for (const box of document.querySelectorAll('input[data-all]')) box.hidden = false;
}
document.addEventListener('change', ({ target }) => {
  if (!target.matches?.('input[data-all]')) return;
  for (const box of document.querySelectorAll(`input[type="checkbox"][form="${target.dataset.all}"]`)) {
    box.checked = target.checked;
  }
});
offerSelections();
document.addEventListener('htmx:after:swap', () => {
  offerCopies(document);
  removeLater(document.querySelector('.toast'));
});
offerCopies(document);
// The key "/" moves the focus to the search field of the page.
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.isContentEditable || event.target.matches?.('input, textarea, select')) return;
  const field = document.querySelector('input[type="search"]');
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
});
// A success leaves after eight seconds, but not while the pointer or the focus is on it.
function removeLater(toast) {
  if (!toast || toast.dataset.leaves) return;
  toast.dataset.leaves = 'yes';
  const attempt = () => {
    if (toast.matches(':hover, :focus-within')) setTimeout(attempt, 2000);
    else toast.remove();
  };
  setTimeout(attempt, 8000);
}
removeLater(document.querySelector('.toast'));
