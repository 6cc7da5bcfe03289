import '@mantine/core/styles.css';
import '@mantine/spotlight/styles.css';
import './app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import { signIn } from '../data/index.ts';
import { SignedOut } from './entry/signed-out.tsx';

// Compiled parsers need eval, which the page's policy forbids.
z.config({ jitless: true });

const root = createRoot(document.getElementById('root') as HTMLElement);
const admitted = await signIn();
if (admitted === 'in') {
  // Only now: the router reads the address when it is loaded, and the token is out of it.
  const { App } = await import('./app.tsx');
  root.render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
} else {
  root.render(
    <StrictMode>
      <SignedOut admission={admitted} />
    </StrictMode>,
  );
}
