import type { ScreeningQuery } from '@portcullis/client';
import { useState } from 'react';
import { useClient } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/Menu.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { notify } from '../shell/notices.ts';

/** A file of 100,000 rows takes longer than a page. */
const DEADLINE_MS = 120_000;
const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** Hands a text to the browser as a file. */
const download = (text: string, name: string, type: string): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

/** The items that match, as a file. The export is noted in the audit log. */
export const ExportMenu = ({ query }: { query: ScreeningQuery }) => {
  const client = useClient();
  const why = useWhyNot('read_personal');
  const [isBusy, setBusy] = useState(false);
  const run = async (format: 'csv' | 'ndjson'): Promise<void> => {
    setBusy(true);
    try {
      const text = await client.screenings.export({ ...query, format }, { deadlineMs: DEADLINE_MS, maxRetries: 0 });
      download(text, `screenings-${new Date().toISOString().slice(0, 10)}.${format}`, TYPES[format]);
    } catch (error) {
      notify((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  if (why !== undefined || isBusy)
    return (
      <Button icon="download" why={why} busy={isBusy}>
        Export
      </Button>
    );
  return (
    <Menu
      width={240}
      position="bottom-end"
      button={
        <button type="button" className="button">
          <Icon name="download" size={17} />
          Export
        </button>
      }
      items={[
        { id: 'about', label: 'Up to 100,000 rows. The audit log records the export.' },
        { id: 'csv', label: 'CSV, for a spreadsheet', run: () => void run('csv') },
        { id: 'ndjson', label: 'NDJSON, for a program', run: () => void run('ndjson') },
      ]}
    />
  );
};
