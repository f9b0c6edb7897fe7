import './app/mantine.css';
import './app/tokens.css';
import './app/base.css';
import './parts/parts.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { PortcullisError } from './api/client.ts';
import { App } from './app/App.tsx';
import { nonce } from './app/nonce.ts';
import { colorSchemeManager, cssVariablesResolver, theme } from './app/theme.ts';
import { startKeys } from './shell/keys.ts';

// The library that locks scrolling behind a dialog adds a style element, and reads its nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const isLasting = (error: unknown): boolean =>
  error instanceof PortcullisError && error.status !== undefined && error.status < 500;
const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, retry: (count, error) => count < 1 && !isLasting(error), refetchOnWindowFocus: true },
  },
});

startKeys();
createRoot(document.getElementById('root') as HTMLElement).render(
  <MantineProvider
    theme={theme}
    defaultColorScheme="auto"
    colorSchemeManager={colorSchemeManager}
    cssVariablesResolver={cssVariablesResolver}
    getStyleNonce={() => nonce}
  >
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </MantineProvider>,
);
