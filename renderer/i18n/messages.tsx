import { useCallback, type ReactNode } from 'react';
import { IntlProvider, useIntl } from 'react-intl';
import { english, type MessageId, type MessageValues } from './catalogue.ts';

/** Puts the catalogue above everything that shows words. */
export function MessagesProvider({ children }: { children: ReactNode }) {
  return (
    <IntlProvider locale="en" messages={english} onError={raise}>
      {children}
    </IntlProvider>
  );
}

/** A missing word is a fault of ours and must not reach a person as its id. */
function raise(error: unknown): never {
  throw error;
}

export type Translate = (id: MessageId, values?: MessageValues) => string;

/** `t('runs.title')`: the sentence of the catalogue with its values filled in. */
export function useTranslate(): Translate {
  const intl = useIntl();
  return useCallback((id, values) => intl.formatMessage({ id, defaultMessage: english[id] }, values), [intl]);
}
