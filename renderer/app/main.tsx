import '@mantine/core/styles.css';
import '@mantine/spotlight/styles.css';
import './app.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { signIn } from '../data/index.ts';
import { Button, Code, CopyButton, EmptyState, Title } from '../ui/index.ts';
import { MessagesProvider, useTranslate } from '../i18n/index.ts';
import { theme, variables } from '../theme/index.ts';

/**
 * The page's policy refuses texts where elements or code would come of them, but for what passes here. The component kit writes its
 * style sheets as HTML, in which a text without a tag is text.
 */
const trusted = globalThis as {
  trustedTypes?: { createPolicy(name: string, rules: { createHTML(text: string): string | null }): unknown };
};
trusted.trustedTypes?.createPolicy('default', {
  createHTML: (text) => (text.includes('<') ? null : text),
});

const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

/** Theme and texts, which even a page without an engine needs. */
function Providers({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <MessagesProvider>{children}</MessagesProvider>
    </MantineProvider>
  );
}

type Missing = 'out' | 'away';

const COMMANDS: Record<Missing, string> = { out: 'npm run anchor -- open', away: 'npm start' };

/** What a page shows that the host does not let in, or whose host does not answer: what to do about it. */
function SignedOut({ admission }: { admission: Missing }) {
  const t = useTranslate();
  return (
    <main>
      <Title order={1} className="app-alone">
        {t('frame.app')}
      </Title>
      <EmptyState
        title={t(admission === 'out' ? 'frame.signedOut.title' : 'frame.away.title')}
        text={t(admission === 'out' ? 'frame.signedOut.text' : 'frame.away.text')}
      >
        <Code>{COMMANDS[admission]}</Code>
        <CopyButton text={COMMANDS[admission]} />
        <Button variant="default" size="compact-sm" onClick={() => location.reload()}>
          {t('common.retry')}
        </Button>
      </EmptyState>
    </main>
  );
}

/** The page behind the sign-in, or why it stays closed. */
async function content(): Promise<ReactNode> {
  const admission = await signIn();
  if (admission !== 'in') return <SignedOut admission={admission} />;
  // Only now: the router reads the address when it is loaded, and the token is out of it.
  const { App } = await import('./app.tsx');
  return <App />;
}

const root = createRoot(document.getElementById('root') as HTMLElement);
root.render(
  <StrictMode>
    <Providers>{await content()}</Providers>
  </StrictMode>,
);
