// Adds copy buttons to pages, shows an example of the chosen record type, and lets the space bar press links that look like
// buttons. Pages work without it.
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
// The space bar presses a button, and so a link that looks like one.
document.addEventListener('keydown', (event) => {
  if (event.key !== ' ' || !event.target.matches?.('a[role="button"]')) return;
  event.preventDefault();
  event.target.click();
});
function showExample(select) {
  const content = select.form?.elements.content;
  if (content) content.placeholder = select.selectedOptions[0]?.dataset.example ?? '';
}
document.addEventListener('change', ({ target }) => {
  if (target.matches?.('select[name="type"]')) showExample(target);
});
for (const select of document.querySelectorAll('select[name="type"]')) showExample(select);
document.addEventListener('htmx:after:swap', () => offerCopies(document));
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
