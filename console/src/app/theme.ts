import { type CSSVariablesResolver, createTheme, localStorageColorSchemeManager } from '@mantine/core';

/** The name that `theme.js` reads before the first paint. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'portcullis-theme' });

export const theme = createTheme({
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", sans-serif',
  fontFamilyMonospace: 'var(--mono)',
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 6 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Plain objects: with the components themselves, the first page would load all of them.
  components: {
    // The placeholder has no name for screen readers.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, radius: 10, offset: 6 } },
    Modal: {
      defaultProps: {
        radius: 14,
        centered: true,
        closeButtonProps: { 'aria-label': 'Close' },
        overlayProps: { backgroundOpacity: 0.4 },
        transitionProps: { transition: 'pop', duration: 120 },
      },
    },
  },
});

/** Mantine paints with the tokens of `tokens.css`, which know both colours themselves. */
const COLOURS = {
  '--mantine-color-body': 'var(--raised)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--dim)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-placeholder': 'var(--faint)',
  '--mantine-color-default': 'var(--raised)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--line-strong)',
  '--mantine-color-error': 'var(--block)',
};
export const cssVariablesResolver: CSSVariablesResolver = () => ({ variables: {}, light: COLOURS, dark: COLOURS });
