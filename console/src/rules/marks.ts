import { type Extension, RangeSetBuilder, StateEffect, StateField, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

const TOKEN =
  /(\/\/[^\n]*)|("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)|\b(in|true|false)\b|([a-z_][\w.]*)/gi;
const CLASSES = ['comment', 'string', 'number', 'word'] as const;
const MARKS = Object.fromEntries(
  [...CLASSES, 'name'].map((name) => [name, Decoration.mark({ class: `ex-${name}` })]),
) as Record<(typeof CLASSES)[number] | 'name', Decoration>;

const colour = (text: string, isKnown: (name: string) => boolean): DecorationSet => {
  const builder = new RangeSetBuilder<Decoration>();
  for (const match of text.matchAll(TOKEN)) {
    const kind = CLASSES.find((_, index) => match[index + 1] !== undefined);
    const isName = kind === undefined && isKnown(match[0].split('.', 1)[0] as string);
    if (kind === undefined && !isName) continue;
    builder.add(match.index, match.index + match[0].length, MARKS[kind ?? 'name']);
  }
  return builder.finish();
};

/** Colours the words of an expression. Expressions are short, so the whole text is read again. */
export const colours = (isKnown: (name: string) => boolean): Extension =>
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor({ state }: EditorView) {
        this.decorations = colour(state.doc.toString(), isKnown);
      }
      update({ docChanged, state, transactions }: ViewUpdate): void {
        if (docChanged || transactions.some(({ reconfigured }) => reconfigured))
          this.decorations = colour(state.doc.toString(), isKnown);
      }
    },
    { decorations: ({ decorations }) => decorations },
  );

/** A place of an expression: line and column in characters, from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}
/** The word at a place, or the character before it at the end of a line. */
export const rangeAt = (doc: Text, { line, column }: Place): { from: number; to: number } => {
  const found = doc.line(Math.min(Math.max(1, line), doc.lines));
  const before = [...found.text].slice(0, column - 1).join('').length;
  const word = /^(?:[\w.]+|"[^"]*"?|'[^']*'?|\S)/.exec(found.text.slice(before))?.[0] ?? '';
  if (word !== '') return { from: found.from + before, to: found.from + before + word.length };
  return { from: Math.max(found.from, found.to - 1), to: found.to };
};

export const setError = StateEffect.define<Place | undefined>();
const ERROR = Decoration.mark({ class: 'ex-error' });
/** Marks the error. It moves with the text until the next check. */
export const errorMark: Extension = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    const effect = transaction.effects.findLast((one) => one.is(setError));
    if (effect === undefined) return marks.map(transaction.changes);
    if (effect.value === undefined) return Decoration.none;
    const { from, to } = rangeAt(transaction.state.doc, effect.value);
    return from < to ? Decoration.set([ERROR.range(from, to)]) : Decoration.none;
  },
  provide: (field) => EditorView.decorations.from(field),
});
