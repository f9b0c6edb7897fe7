/** The button of a chart that shows its numbers as a table, for those who cannot see the picture. */
export const TableButton = ({
  isOpen,
  controls,
  className = 'bars-table',
  toggle,
}: {
  isOpen: boolean;
  /** The id of the table. */
  controls: string;
  className?: 'bars-table' | 'as-table';
  toggle: () => void;
}) => (
  <button type="button" className={className} aria-expanded={isOpen} aria-controls={controls} onClick={toggle}>
    {isOpen ? 'Hide the table' : 'As a table'}
  </button>
);
