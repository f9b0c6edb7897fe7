import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import { nonce } from '../app/nonce.ts';
import { completeWith } from './completion.ts';
import { colours, errorMark, type Place, setError } from './marks.ts';
import type { Words } from './words.ts';

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onSave: () => void;
  readonly isReadOnly: boolean;
  readonly words: Words;
  readonly error: Place | undefined;
  readonly describedBy: string;
}

const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--sunken)', color: 'var(--text)', fontSize: '13.5px', borderRadius: '9px' },
  '&.cm-focused': {
    outline: '3px solid color-mix(in srgb, var(--accent-fill) 25%, transparent)',
    borderColor: 'var(--accent-fill)',
  },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', minHeight: '150px', borderRadius: '9px' },
  '.cm-content': { padding: '10px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 14px 0 6px' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--faint)', border: 'none', paddingLeft: '6px' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: '9px',
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow-float)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '12.5px', maxHeight: '15em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px', lineHeight: '1.5' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--accent)',
  },
  '.cm-completionDetail': { color: 'var(--dim)', fontStyle: 'normal', marginLeft: '1.2em' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionIcon': { display: 'none' },
  '.cm-tooltip.cm-completionInfo': { padding: '8px 12px', maxWidth: '320px', fontSize: '12.5px' },
});

/** Typing over a selection. Left to itself, Chromium copies the style of the old text into an attribute, which the policy of the page refuses. */
const typeOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const isOver = event.inputType === 'insertText' && !view.state.selection.main.empty && !view.composing;
    if (!isOver || event.data === null) return false;
    view.dispatch({ ...view.state.replaceSelection(event.data), userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

const PARTS = { words: new Compartment(), readOnly: new Compartment() };
const colourWords = ({ variables }: Words) => {
  const names = new Set(variables.map(({ name }) => name.split('.', 1)[0] as string));
  return colours((name) => names.has(name));
};
// A text that cannot be edited can still be read and selected with the keyboard.
const readOnly = (is: boolean) => EditorState.readOnly.of(is);

/** An editor for expressions. Tab leaves it, as it leaves any field. */
export default function Editor(props: Props) {
  const { value, isReadOnly, words, error, describedBy } = props;
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(words);
  latest.current = words;
  const change = useEffectEvent((text: string) => props.onChange(text));
  const save = useEffectEvent(() => props.onSave());
  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; the effects below follow the properties
  useEffect(() => {
    const saveNow = (): boolean => {
      save();
      return true;
    };
    const state = EditorState.create({
      doc: value,
      extensions: [
        EditorView.cspNonce.of(nonce),
        lineNumbers(),
        history(),
        closeBrackets(),
        autocompletion({ override: [completeWith(() => latest.current)] }),
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: saveNow },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': 'Expression',
          'aria-describedby': describedBy,
          spellcheck: 'false',
          autocapitalize: 'off',
        }),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && change(state.doc.toString())),
        typeOver,
        errorMark,
        PARTS.words.of(colourWords(words)),
        PARTS.readOnly.of(readOnly(isReadOnly)),
        theme,
      ],
    });
    const made = new EditorView({ state, parent: box.current as HTMLDivElement });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => view.current?.dispatch({ effects: PARTS.words.reconfigure(colourWords(words)) }), [words]);
  useEffect(() => view.current?.dispatch({ effects: PARTS.readOnly.reconfigure(readOnly(isReadOnly)) }), [isReadOnly]);
  useEffect(() => view.current?.dispatch({ effects: setError.of(error) }), [error]);
  return <div ref={box} className={`editor ${isReadOnly ? 'is-read-only' : ''}`} />;
}
