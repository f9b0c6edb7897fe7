/** Icons of 24 units, drawn as lines. They are decoration: the text beside them, or a label, says the same. */
const PATHS = {
  overview: 'M4 4h6v8H4zM14 4h6v4h-6zM14 12h6v8h-6zM4 16h6v4H4z',
  cases: 'M4 13h4l2 3h4l2-3h4M4 13V6a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2z',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM20 20l-4.8-4.8',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1',
  moon: 'M20 14.5A8 8 0 1 1 9.5 4a6.5 6.5 0 0 0 10.5 10.5z',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  help: 'M9.2 9a2.9 2.9 0 1 1 4.3 2.5c-.9.5-1.5 1.1-1.5 2.2M12 17v.01',
  bolt: 'M13 3 5 14h6l-1 7 8-11h-6z',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  down: 'M6 9.5l6 6 6-6',
  right: 'M9.5 6l6 6-6 6',
  left: 'M14.5 6l-6 6 6 6',
  more: 'M5.5 12h.01M12 12h.01M18.5 12h.01',
  user: 'M12 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM5 20c.6-3.6 3.4-5.5 7-5.5s6.4 1.9 7 5.5',
  take: 'M10 11.500a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3.5 20c.5-3.6 3-5.5 6.5-5.5 1 0 2 .2 2.8.5M18 14v6M15 17h6',
  device: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2',
  card: 'M3 6.500h18v11H3zM3 10h18M6.5 14h3',
  email: 'M3.5 6h17v12h-17zM4 7l8 6 8-6',
  ip_address:
    'M12 21s6.5-6 6.5-11a6.5 6.5 0 1 0-13 0c0 5 6.5 11 6.5 11zM12 12.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  counterparty: 'M4 10l1.5-5h13L20 10M5 10v9h14v-9M4 10h16M10 19v-5h4v5',
  clock: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 8v4l2.5 2',
  note: 'M5 4h14v11l-5 5H5zM14 20v-5h5M8.5 9h7M8.5 12.500h4',
  copy: 'M9 9h10v11H9zM15 9V4H5v11h4',
  signOut: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
  menu: 'M4 7h16M4 12h16M4 17h16',
  alert: 'M12 4 2.8 19.500h18.400zM12 10v4M12 17v.01',
  sparkle: 'M12 3v4M12 17v4M3 12h4M17 12h4M6 6l2.5 2.500M15.5 15.5 18 18M6 18l2.5-2.500M15.5 8.5 18 6',
  filter: 'M4 6h16M7 12h10M10 18h4',
  table: 'M4 5h16v14H4zM4 10h16M10 10v9',
  docs: 'M6 3h9l4 4v14H6zM14 3v5h5M9 12h7M9 16h7',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  webhooks: 'M7 16.500a3 3 0 1 0 3 3h7M10 8a3 3 0 1 1 5 2l3 6M14 9l-3.500 6M17 22a3 3 0 1 0-1-5.500',
  apiKeys: 'M8 20a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM11 13l8-8M16 8l2.500 2.500M13.500 10.500l2 2',
  integration: 'M8 8l-4 4 4 4M16 8l4 4-4 4M13.500 5l-3 14',
  people:
    'M9 11a3.2 3.2 0 1 0 0-6.400A3.200 3.200 0 0 0 9 11zM3 19c.5-3.300 2.900-5 6-5s5.500 1.700 6 5M15.500 5a3 3 0 0 1 0 5.800M17 14.300c2.200.6 3.600 2.200 4 4.700',
  audit: 'M12 3l7 3v5c0 4.500-2.800 8-7 10-4.200-2-7-5.500-7-10V6zM9 12l2.200 2.200L15.500 10',
  settings:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM9 19.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
  explorer:
    'M7.500 20a3.5 3.5 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM16.500 20a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM11 16.500h2M4 16.500 6 6h3.500v7.500M20 16.500 18 6h-3.500v7.500',
  up: 'M6 14.500l6-6 6 6',
  download: 'M12 4v11M7.500 10.500 12 15l4.500-4.500M5 19.500h14',
  ban: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM6.500 6.500l11 11',
  rules: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14',
  lists: 'M9 6h11M9 12h11M9 18h11M4.500 6h.01M4.500 12h.01M4.500 18h.01',
  policy:
    'M4 7h8M18 7h2M4 17h2M12 17h8M15 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM9 19.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
  models: 'M4 18l5-7 4 4 7-10M4 21h16',
  backtests: 'M9 3h6M10 3v6l-5.500 9.500A1.700 1.700 0 0 0 6 21h12a1.700 1.700 0 0 0 1.500-2.500L14 9V3M7.500 15h9',
  plus: 'M12 5v14M5 12h14',
  undo: 'M8 5 4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3',
} as const;
export type IconName = keyof typeof PATHS;

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={name === 'more' ? 3 : 1.8}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    <path d={PATHS[name]} />
  </svg>
);

export const Logo = ({ size = 22 }: { size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={2}
    strokeLinecap="round"
    aria-hidden="true"
  >
    <path d="M4 22V10a8 8 0 0 1 16 0v12M8 22V4.500M12 23V2M16 22V4.500M4 11h16M4 16h16" />
  </svg>
);
