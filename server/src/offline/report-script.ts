import { html } from '../html/html.ts';
import { BOTTOM, LEFT, RIGHT, TOP } from './report-plot.ts';

/**
 * The script of the threshold slider. It shows values from the rows of the table, so the report is complete without
 * it. It contains no results, so its hash in the content security policy is constant.
 */
export const SCRIPT = html`
const panel = document.getElementById('slider');
const range = document.getElementById('threshold');
const cost = document.getElementById('cost');
const rows = [...document.querySelectorAll('#thresholds tbody tr')];
const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 });
const put = (id, text) => { document.getElementById(id).textContent = text; };
const show = () => {
  const row = rows[range.value];
  for (const place of panel.querySelectorAll('[data-show]')) place.textContent = row.dataset[place.dataset.show];
  for (const other of rows) other.classList.toggle('chosen', other === row);
  range.setAttribute('aria-valuetext', row.dataset.summary);
  const x = ${LEFT} + row.dataset.score * ${(RIGHT - LEFT) / 100};
  for (const line of document.querySelectorAll('.current')) {
    line.setAttribute('d', 'M' + x + ' ${TOP}V${BOTTOM}');
    line.setAttribute('visibility', 'visible');
  }
  if (cost === null) return;
  const worth = (of) => of.dataset.dollars - of.dataset.count * Math.max(0, Number(cost.value) || 0);
  const best = rows.reduce((most, other) => (worth(other) > worth(most) ? other : most));
  put('worth', money.format(worth(row)));
  put('best', best.dataset.score);
  put('best-worth', money.format(worth(best)));
};
if (panel !== null) {
  panel.hidden = false;
  range.addEventListener('input', show);
  cost?.addEventListener('input', show);
  show();
}
`;
