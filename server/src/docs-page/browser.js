// Runs in the documentation pages: the address in examples, copy buttons and search. The pages work without it.

for (const element of document.querySelectorAll('[data-origin]')) element.textContent = location.origin;

/** Copies without the clipboard API, which browsers offer only over HTTPS and on localhost. */
const copyBySelection = (text) => {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'offscreen';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
};

const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
};

for (const code of document.querySelectorAll('.panel code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    button.textContent = (await copy(code.textContent)) ? 'Copied' : 'Press Ctrl+C';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  code.closest('.panel').querySelector('figcaption').append(button);
}

const form = document.getElementById('search');
const input = form.querySelector('input');
const results = document.getElementById('results');
const MAX_RESULTS = 15;
let entries;

const loadEntries = async () => {
  entries ??= fetch('/docs/search.json').then((response) => response.json());
  return entries;
};

/** Entries that hold every word, those with the words in their title first. */
const find = (all, query) => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const holds = (text) => words.every((word) => text.includes(word));
  const ranked = all.map((entry) => {
    const title = `${entry.title} ${entry.place}`.toLowerCase();
    return { entry, rank: holds(title) ? 2 : holds(`${title} ${entry.text.toLowerCase()}`) ? 1 : 0 };
  });
  return ranked
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry);
};

const toItem = ({ title, place, url }) => {
  const link = document.createElement('a');
  const small = document.createElement('small');
  link.href = url;
  small.textContent = place;
  link.append(title, small);
  const item = document.createElement('li');
  item.append(link);
  return item;
};

const search = async () => {
  const query = input.value.trim();
  const found = query === '' ? [] : find(await loadEntries(), query);
  if (query !== input.value.trim()) return;
  results.replaceChildren(...found.map(toItem));
  if (query !== '' && found.length === 0) {
    const none = document.createElement('li');
    none.textContent = 'Nothing found.';
    results.append(none);
  }
  results.hidden = query === '';
};

form.hidden = false;
input.addEventListener('focus', loadEntries, { once: true });
input.addEventListener('input', search);
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  await search();
  results.querySelector('a')?.click();
});
results.addEventListener('click', (event) => {
  if (event.target.closest('a') === null) return;
  input.value = '';
  results.hidden = true;
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, textarea') !== null) return;
  event.preventDefault();
  if (form.offsetParent === null) location.hash = 'contents';
  input.focus();
});
