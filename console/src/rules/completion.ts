import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { Words } from './words.ts';

/** `startsWith` of `text.startsWith(start)`, `has` of `has(x)`. */
const FUNCTION = /^(?:\w+\.)?(\w+)\(/;

const functionOf = ({ form, meaning }: Words['functions'][number]): Completion | undefined => {
  const name = FUNCTION.exec(form)?.[1];
  return name === undefined
    ? undefined
    : { label: name, apply: `${name}(`, detail: form, info: meaning, type: 'function' };
};

const isMember = ({ form }: { form: string }): boolean => /^\w+\./.test(form);

/** Whether a position is within quotes of its line. */
const isQuoted = (line: string): boolean => {
  const text = line.replace(/\/\/.*$/, '');
  return (text.split('"').length - 1) % 2 === 1 || (text.split("'").length - 1) % 2 === 1;
};

/** What can come at a position: features in their brackets, signals and lists in quotes, else variables and functions. */
export const completeWith =
  (read: () => Words) =>
  (context: CompletionContext): CompletionResult | null => {
    const words = read();
    const line = context.state.doc.lineAt(context.pos);
    const before = context.state.sliceDoc(line.from, context.pos);
    const feature = /features\[["']([\w.]*)$/.exec(before);
    if (feature !== null)
      return {
        from: context.pos - (feature[1] ?? '').length,
        options: words.features.map(({ name, meaning }) => ({ label: name, info: meaning, type: 'property' })),
        validFor: /^[\w.]*$/,
      };
    if (isQuoted(before)) {
      const text = /[\w.]*$/.exec(before)?.[0] ?? '';
      return {
        from: context.pos - text.length,
        options: [
          ...words.signals.map((label) => ({ label, detail: 'signal', type: 'text' })),
          ...words.lists.map((label) => ({ label, detail: 'list', type: 'text' })),
        ],
        validFor: /^\w*$/,
      };
    }
    const word = /[\w.]*$/.exec(before)?.[0] ?? '';
    if ((word === '' && !context.explicit) || before.includes('//')) return null;
    const dot = word.lastIndexOf('.');
    const variables = words.variables.map(
      ({ name, type, meaning }): Completion => ({ label: name, detail: type, info: meaning, type: 'variable' }),
    );
    const members = words.functions.filter(isMember).flatMap((one) => functionOf(one) ?? []);
    const plain = words.functions.filter((one) => !isMember(one)).flatMap((one) => functionOf(one) ?? []);
    const isPath = dot === -1 || variables.some(({ label }) => label.startsWith(word.slice(0, dot + 1)));
    return isPath
      ? { from: context.pos - word.length, options: [...variables, ...plain], validFor: /^[\w.]*$/ }
      : { from: context.pos - word.length + dot + 1, options: members, validFor: /^\w*$/ };
  };
