import '@picocss/pico/css/pico.min.css';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { RpcError } from '@fresnel/client';

const MAX_RETRIES = 2;
const MAX_PAUSE_MS = 10_000;

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < MAX_RETRIES && !(error instanceof RpcError && error.isFinal),
      retryDelay: (failures, error) => {
        const seconds = error instanceof RpcError ? error.retryAfterSeconds : null;
        return seconds === null ? Math.min(1_000 * 2 ** failures, MAX_PAUSE_MS) : seconds * 1_000;
      },
      refetchOnWindowFocus: false,
    },
  },
});

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element for the page');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
