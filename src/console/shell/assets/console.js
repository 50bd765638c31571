// Adds copy buttons to pages, and lets the space bar press links that look like buttons. Pages work without it.
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
document.addEventListener('htmx:after:swap', () => offerCopies(document));
offerCopies(document);
