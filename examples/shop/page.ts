/** The address of the service for browsers, which may differ from the shop's own. */
const sdk = new URL(
  '/sdk/device.js',
  process.env.PORTCULLIS_PUBLIC_URL ?? process.env.PORTCULLIS_URL ?? 'http://127.0.0.1:8080',
);

export const CATALOGUE: Readonly<Record<string, { title: string; amount: number }>> = {
  tea: { title: 'Tea, 100 g', amount: 7.5 },
  kettle: { title: 'Kettle', amount: 49.9 },
  'gift-card': { title: 'Gift card', amount: 500 },
};
export const CURRENCY = 'EUR';

/** Allows only the shop's script and the SDK, which needs no other permission. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src 'self' ${sdk.origin}; connect-src 'self'; style-src 'self'; form-action 'none'`,
};

const options = Object.entries(CATALOGUE)
  .map(([item, { title, amount }]) => `<option value="${item}">${title}: ${amount.toFixed(2)} ${CURRENCY}</option>`)
  .join('');

export const page = (order: string): string => `<!doctype html>
<html lang="en">
<title>Tea shop</title>
<meta name="viewport" content="width=device-width">
<h1>Tea shop</h1>
<form data-order="${order}">
  <p><label>Item <select name="item">${options}</select></label></p>
  <p><label>Customer <input name="customer" required maxlength="255" value="user_1618"></label></p>
  <p><label>E-mail <input name="email" type="email" maxlength="320"></label></p>
  <p><button>Pay</button></p>
</form>
<p><output></output></p>
<script src="${sdk.href}" async></script>
<script src="/checkout.js" defer></script>
</html>`;

/** The page's script: pays when the button is pressed. */
export const script = `
const form = document.querySelector('form');
const output = document.querySelector('output');
const WORDS = { paid: 'Thank you. It is on its way.', held: 'Thank you. We will confirm your order soon.', declined: 'This payment was declined.' };
const pay = async () => {
  // A new token for each request. If the SDK did not load, the order has no token.
  const device_token = await globalThis.Portcullis?.getDeviceToken();
  const body = { ...Object.fromEntries(new FormData(form)), device_token };
  const answer = await fetch('/orders/' + form.dataset.order, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()).outcome;
};
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  // Pressed again after an error, it is still the same order.
  const outcome = await pay().catch(() => undefined);
  output.dataset.outcome = outcome ?? 'none';
  output.textContent = WORDS[outcome] ?? 'Something went wrong. Please try again.';
});
`;
