/** A metric that a PromQL expression reads, with its label matchers. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly isEqual: boolean; readonly value: string }[];
}

const FUNCTIONS = new Set('abs changes count histogram_quantile increase label_values max min rate sum'.split(' '));
const WORDS = new Set('and or unless offset group_left'.split(' '));
const TOKEN = /\[[^\]]*\]|\b(?:by|on)\s*\(([^)]*)\)|([a-zA-Z_:][\w:]*)\s*(?:\{([^}]*)\})?|\d[\w.]*|[()+*/<>=!,-]|\s+/gy;
const MATCHER = /\s*(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*,?/gy;

const matchersOf = (text: string): Selector['matchers'] => {
  const found = [...text.matchAll(MATCHER)];
  if (found.map(([all]) => all).join('') !== text) throw new Error(`not understood: {${text}}`);
  return found.map(([, label = '', operator, value = '']) => ({ label, isEqual: operator === '=', value }));
};

/** The metrics and labels of an expression. Parses the part of PromQL that our alerts and dashboard use, and throws on any other. */
export const readExpression = (text: string): { selectors: Selector[]; labels: string[] } => {
  const selectors: Selector[] = [];
  const labels: string[] = [];
  let end = 0;
  for (const { 0: all, 1: grouping, 2: name, 3: matchers, index } of text.matchAll(TOKEN)) {
    end = index + all.length;
    if (grouping !== undefined) labels.push(...grouping.split(',').map((label) => label.trim()));
    else if (name !== undefined && /^\s*(?:by\s*)?\(/.test(text.slice(end))) {
      if (!FUNCTIONS.has(name) && !WORDS.has(name)) throw new Error(`unsupported function: ${name}`);
    } else if (name !== undefined && !WORDS.has(name))
      selectors.push({ metric: name, matchers: matchersOf(matchers ?? '') });
  }
  if (end !== text.length) throw new Error(`not understood from "${text.slice(end)}"`);
  const depth = [...text].reduce((open, sign) => open + (sign === '(' ? 1 : sign === ')' ? -1 : 0), 0);
  if (depth !== 0) throw new Error(`unbalanced brackets: ${text}`);
  return { selectors, labels };
};
