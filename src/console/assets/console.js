// What pages gain from JavaScript without a request: copy buttons. Everything works without it.
function offerCopies(root) {
  for (const button of root.querySelectorAll('button[data-copy]')) button.hidden = false;
}
/** Browsers give pages over plain HTTP no clipboard; what is selected they copy all the same. */
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
// What looks like a button is pressed like one.
document.addEventListener('keydown', (event) => {
  if (event.key !== ' ' || !event.target.matches?.('a[role="button"]')) return;
  event.preventDefault();
  event.target.click();
});
document.addEventListener('htmx:after:swap', () => offerCopies(document));
offerCopies(document);
