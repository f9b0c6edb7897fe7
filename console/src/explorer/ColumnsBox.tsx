import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { COLUMN_IDS, type ColumnId, DEFAULT_COLUMNS } from './column-ids.ts';
import { titleOf } from './columns.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly columns: readonly ColumnId[];
  readonly onChange: (columns: readonly ColumnId[]) => void;
}

/** Which columns the table has, and in which order. */
export default function ColumnsBox({ isOpen, close, columns, onChange }: Props) {
  const hidden = COLUMN_IDS.filter((id) => !columns.includes(id));
  const move = (id: ColumnId, by: -1 | 1): void => {
    const at = columns.indexOf(id);
    const next = columns.toSpliced(at, 1).toSpliced(at + by, 0, id);
    onChange(next);
  };
  return (
    <Dialog opened={isOpen} onClose={close} title="Columns" size={400}>
      <ul className="column-list">
        {[...columns, ...hidden].map((id) => {
          const isOn = columns.includes(id);
          const at = columns.indexOf(id);
          return (
            <li key={id}>
              <label>
                <input
                  type="checkbox"
                  checked={isOn}
                  disabled={isOn && columns.length === 1}
                  onChange={() => onChange(isOn ? columns.filter((one) => one !== id) : [...columns, id])}
                />
                {titleOf(id)}
              </label>
              {isOn && (
                <>
                  <Button
                    look="ghost"
                    small
                    icon="up"
                    label={`Move ${titleOf(id)} to the left`}
                    disabled={at === 0}
                    onClick={() => move(id, -1)}
                  />
                  <Button
                    look="ghost"
                    small
                    icon="down"
                    label={`Move ${titleOf(id)} to the right`}
                    disabled={at === columns.length - 1}
                    onClick={() => move(id, 1)}
                  />
                </>
              )}
            </li>
          );
        })}
      </ul>
      <div className="row-buttons">
        <Button look="primary" onClick={close}>
          Done
        </Button>
        <Button onClick={() => onChange(DEFAULT_COLUMNS)}>Reset</Button>
      </div>
    </Dialog>
  );
}
