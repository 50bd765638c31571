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
  const before = button.innerHTML;
  button.textContent = 'Copied';
  setTimeout(() => {
    button.innerHTML = before;
  }, 1500);
});
document.addEventListener('htmx:after:swap', () => offerCopies(document));
offerCopies(document);
