import { Button } from '../parts/Button.tsx';
import { PRESETS, type Preset, type Range, rangeWords, shift, spanOf, zoomOut } from './range.ts';

/** The time of the items: up to now, or between two times that were chosen in the chart. */
export const RangePicker = ({ range, onChange }: { range: Range; onChange: (range: Range) => void }) => {
  const { isOpen } = spanOf(range);
  return (
    <div className="range">
      <nav className="segments" aria-label="Range">
        {(Object.keys(PRESETS) as Preset[]).map((preset) => (
          <button
            key={preset}
            type="button"
            aria-current={range.preset === preset}
            onClick={() => onChange({ preset })}
          >
            {preset}
          </button>
        ))}
      </nav>
      <Button look="ghost" small icon="left" label="Earlier" onClick={() => onChange(shift(range, -1))} />
      <span className="range-words num" role="status">
        {rangeWords(range)}
      </span>
      <Button
        look="ghost"
        small
        icon="right"
        label="Later"
        disabled={isOpen}
        onClick={() => onChange(shift(range, 1))}
      />
      <Button look="ghost" small disabled={range.preset === '90d'} onClick={() => onChange(zoomOut(range))}>
        Zoom out ×2
      </Button>
    </div>
  );
};
