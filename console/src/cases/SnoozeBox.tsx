import type { Case } from '@portcullis/client';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { plural } from '../parts/format.ts';
import { CHOICES, useSnooze } from './snooze.ts';
import './reject.css';

/** Asks how long cases are set aside. Numbers choose. */
export const SnoozeBox = ({ cases, close }: { cases: readonly Case[] | undefined; close: () => void }) => {
  const snooze = useSnooze();
  const choose = (time: () => number): void => {
    for (const one of cases ?? []) void snooze(one, time());
    close();
  };
  return (
    <Dialog opened={cases !== undefined} onClose={close} title="Set aside" size={360}>
      <div
        className="reject"
        role="group"
        aria-label="How long"
        onKeyDown={(event) => {
          const found = CHOICES[Number(event.key) - 1];
          if (found !== undefined) choose(found[1]);
        }}
      >
        <p className="dim">
          {cases?.length === 1 ? cases[0]?.user_id : plural(cases?.length ?? 0, 'case')}: not handed out as the next
          case until then. The time at which it expires stays the same.
        </p>
        {CHOICES.map(([label, time], index) => (
          <Button
            key={label}
            hint={`${index + 1}`}
            data-autofocus={index === 0 || undefined}
            onClick={() => choose(time)}
          >
            {label}
          </Button>
        ))}
      </div>
    </Dialog>
  );
};
