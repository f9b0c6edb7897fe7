import { useStore } from '../api/store.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Keys } from './Keys.tsx';
import { groups, type KeyGroup, singleKeys } from './keys.ts';

/** Groups of one title as one, with each key once: the newest counts. */
const merge = (all: readonly KeyGroup[]): readonly KeyGroup[] => {
  const seen = new Set<string>();
  const byTitle = new Map<string, KeyGroup['keys'][number][]>();
  for (const { title, keys } of all.toReversed())
    for (const key of keys) {
      if (seen.has(key.keys)) continue;
      seen.add(key.keys);
      byTitle.set(title, [...(byTitle.get(title) ?? []), key]);
    }
  return [...byTitle].map(([title, keys]) => ({ title, keys }));
};

export default function Help({ close }: { close: () => void }) {
  const all = merge(useStore(groups));
  const mode = useStore(singleKeys);
  return (
    <Dialog opened onClose={close} title="Keyboard" size="lg">
      <div className="help-grid">
        {all.map(({ title, keys }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <ul>
              {keys.map(({ keys, label }) => (
                <li key={keys}>
                  <span>{label}</span>
                  <Keys of={keys} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <label style={{ display: 'flex', gap: 8, marginTop: 24 }}>
        <input
          type="checkbox"
          checked={mode === 'on'}
          onChange={(event) => singleKeys.set(event.currentTarget.checked ? 'on' : 'off')}
        />
        Use single keys as shortcuts
      </label>
    </Dialog>
  );
}
