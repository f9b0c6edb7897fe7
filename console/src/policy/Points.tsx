import type { Policy, SignalStats } from '@portcullis/client';
import { useState } from 'react';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { formatCount, formatName } from '../parts/format.ts';
import { TableBox } from '../parts/TableBox.tsx';

interface Props {
  readonly stored: Policy['points'];
  readonly points: Policy['points'];
  readonly signals: SignalStats['signals'] | undefined;
  readonly onChange: (points: Policy['points']) => void;
}

const SHOWN = 12;
const NONE = { items: 0, fraud: 0, legitimate: 0 };

/** Fraud and legitimate ones among the labelled items of a signal. */
const Labelled = ({ fraud, legitimate }: { fraud: number; legitimate: number }) => {
  const all = fraud + legitimate;
  if (all === 0) return <span className="dim">none</span>;
  return (
    <span className="labelled">
      <span className="labelled-bar" aria-hidden="true">
        <span style={{ width: `${(fraud / all) * 100}%`, background: 'var(--raises)' }} />
        <span style={{ width: `${(legitimate / all) * 100}%`, background: 'var(--lowers)' }} />
      </span>
      <span className="num dim nowrap">
        {formatCount(fraud)} fraud, {formatCount(legitimate)} legitimate
      </span>
    </span>
  );
};

/** Points for signals, on top of what the model has learned about them. */
export const Points = ({ stored, points, signals, onChange }: Props) => {
  const [isAll, setAll] = useState(false);
  const seen = (signals ?? []).filter(({ signal }) => !/^(?:rule|list)\./.test(signal));
  const names = [...new Set([...Object.keys(points), ...Object.keys(stored), ...seen.map(({ signal }) => signal)])];
  const shown = isAll ? names : names.slice(0, Math.max(SHOWN, Object.keys(points).length));
  const set = (name: string, text: string): void => {
    const { [name]: _, ...others } = points;
    const value = Number(text);
    if (text === '') onChange(others);
    else if (Number.isInteger(value) && value >= 0 && value <= 100) onChange({ ...others, [name]: value });
  };
  return (
    <Card
      title="Points for signals"
      note="Percent of the gap to 100, on top of what the model has learned. Leave empty for none."
    >
      {names.length === 0 ? (
        <p className="dim">No signal was active in this period, and none has points.</p>
      ) : (
        <>
          <TableBox label="Table of points">
            <table className="table points">
              <thead>
                <tr>
                  <th scope="col">Signal</th>
                  <th scope="col" className="end is-wide">
                    Items
                  </th>
                  <th scope="col" className="is-wide">
                    Labelled
                  </th>
                  <th scope="col" className="end">
                    Points
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.map((name) => {
                  const { items, fraud, legitimate } = seen.find(({ signal }) => signal === name) ?? NONE;
                  return (
                    <tr key={name}>
                      <td>
                        <a href={`/docs/guides/signals#${name}`}>{formatName(name)}</a>
                      </td>
                      <td className="num end is-wide">{formatCount(items)}</td>
                      <td className="is-wide">
                        <Labelled fraud={fraud} legitimate={legitimate} />
                      </td>
                      <td className="end nowrap">
                        {points[name] !== stored[name] && <span className="dim num">{stored[name] ?? 'none'} → </span>}
                        <input
                          type="number"
                          className="input num points-box"
                          min={0}
                          max={100}
                          value={points[name] ?? ''}
                          aria-label={`Points for ${formatName(name)}`}
                          onChange={(event) => set(name, event.currentTarget.value)}
                        />
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </TableBox>
          {names.length > shown.length && (
            <Button small look="ghost" onClick={() => setAll(true)}>
              Show all {names.length} signals
            </Button>
          )}
        </>
      )}
    </Card>
  );
};
