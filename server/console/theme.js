// Sets the colours before the first paint. Mantine reads and writes the same value.
{
  let chosen = 'auto';
  try {
    chosen = localStorage.getItem('portcullis-theme') ?? 'auto';
  } catch {
    // Storage can be forbidden. The colours of the system apply.
  }
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
}
