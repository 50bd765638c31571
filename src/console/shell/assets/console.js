// Adds copy buttons and a selection of all rows to pages, lets the space bar press links that look like buttons,
// removes messages after a while, and opens the search over all zones in a dialog. Pages work without it.
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
// The checkbox in the head of a table selects all rows, and a click with the shift key all rows since the last click.
const boxesOf = (form) => [...document.querySelectorAll(`input[type="checkbox"][form="${form}"]`)];
function offerSelections() {
  for (const box of document.querySelectorAll('input[data-all]')) box.hidden = false;
}
function countSelected(form) {
  const count = boxesOf(form).filter((box) => box.checked).length;
  const place = document.querySelector(`[data-count="${form}"]`);
  if (place) place.textContent = `${count} selected`;
}
document.addEventListener('change', ({ target }) => {
  if (!target.matches?.('input[data-all]')) return;
  for (const box of boxesOf(target.dataset.all)) box.checked = target.checked;
  countSelected(target.dataset.all);
});
let lastBox = null;
document.addEventListener('click', (event) => {
  const box = event.target;
  if (!box.matches?.('.pick input[form]')) return;
  const form = box.getAttribute('form');
  const boxes = boxesOf(form);
  const [from, to] = [boxes.indexOf(lastBox), boxes.indexOf(box)].sort((a, b) => a - b);
  if (event.shiftKey && from >= 0) for (const each of boxes.slice(from, to + 1)) each.checked = box.checked;
  lastBox = box;
  countSelected(form);
});
document.addEventListener('reset', ({ target }) => {
  const all = document.querySelector(`input[data-all="${target.id}"]`);
  if (all) all.checked = false;
});
offerSelections();
document.addEventListener('htmx:after:swap', () => {
  offerCopies(document);
  offerSelections();
  removeLater(document.querySelector('.toast'));
});
offerCopies(document);
// The search over all zones is a dialog, which also ⌘K or Ctrl-K opens.
const searchDialog = document.querySelector('.jump-to') && document.createElement('dialog');
if (searchDialog) {
  searchDialog.id = 'search';
  searchDialog.ariaLabel = 'Search all zones';
  document.body.append(searchDialog);
}
document.addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey) return;
  if (!searchDialog || searchDialog.open) return;
  event.preventDefault();
  document.querySelector('.jump-to')?.click();
});
document.addEventListener('htmx:after:swap', () => {
  if (!searchDialog?.firstElementChild || searchDialog.open) return;
  searchDialog.showModal();
  searchDialog.querySelector('input')?.focus();
});
searchDialog?.addEventListener('close', () => searchDialog.replaceChildren());
searchDialog?.addEventListener('click', (event) => {
  if (event.target === searchDialog) searchDialog.close();
});
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
// A form in a page closes without a new page, and the focus goes back to its button.
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[data-close]');
  const place = link && document.getElementById(link.dataset.close);
  if (!place) return;
  event.preventDefault();
  place.replaceChildren();
  document.querySelector('.add')?.focus();
});
// htmx, which is deferred, would start in a later task, and a click or ⌘K before that would load a whole page.
htmx.process(document.body);
