import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { theme, variables } from '../theme/index.ts';
import { MessagesProvider } from '../i18n/index.ts';

const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

/** Theme and words, which even a page without an engine needs. */
export function Providers({ children }: { children: ReactNode }) {
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
