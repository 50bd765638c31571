// What pages gain from JavaScript without a request: copy buttons. Everything works without it.
function offerCopies(root) {
  for (const button of root.querySelectorAll('button[data-copy]')) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
  }
}
document.addEventListener('click', async (event) => {
  const button = event.target.closest?.('button[data-copy]');
  if (!button) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
  const before = [...button.childNodes];
  button.replaceChildren('Copied');
  setTimeout(() => {
    button.replaceChildren(...before);
  }, 1500);
});
// What looks like a button is pressed like one.
document.addEventListener('keydown', (event) => {
  if (event.key !== ' ' || !event.target.matches?.('a[role="button"]')) return;
  event.preventDefault();
  event.target.click();
});
document.addEventListener('htmx:after:swap', () => offerCopies(document));
offerCopies(document);
