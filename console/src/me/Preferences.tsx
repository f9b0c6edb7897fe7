import { Choice } from '../admin/Form.tsx';
import { useStore } from '../api/store.ts';
import { ownZone, timeZone } from '../api/time-zone.ts';
import { Card } from '../parts/Card.tsx';
import { formatTime } from '../parts/format.ts';
import { useNow } from '../parts/Time.tsx';
import { singleKeys } from '../shell/keys.ts';

/** How the console behaves in this browser. */
export const Preferences = () => {
  const own = useStore(ownZone);
  const shown = useStore(timeZone);
  const keys = useStore(singleKeys);
  const now = useNow(1000);
  return (
    <Card title="This browser" note="Stored in this browser, not in your account">
      <div className="form">
        <Choice
          label="Time zone"
          value={own}
          options={[
            ['account', 'Time zone of the account'],
            ['browser', `Time zone of this device (${Intl.DateTimeFormat().resolvedOptions().timeZone})`],
            ...Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone] as const),
          ]}
          note={`It is ${formatTime(new Date(now).toISOString())} in ${shown}.`}
          onPick={ownZone.set}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={keys === 'on'}
            onChange={(event) => singleKeys.set(event.currentTarget.checked ? 'on' : 'off')}
          />
          Use single keys as shortcuts
        </label>
      </div>
    </Card>
  );
};
