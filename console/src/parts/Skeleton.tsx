/** The shape of content that is on its way. */
export const Skeleton = ({ rows = 4, height = 20 }: { rows?: number; height?: number }) => (
  <div role="status" aria-label="Loading" style={{ display: 'grid', gap: 12 }}>
    {Array.from({ length: rows }, (_, row) => (
      <div key={row} className="skeleton" style={{ height, width: `${96 - ((row * 17) % 40)}%` }} />
    ))}
  </div>
);
