import { useCallback, type ReactNode } from 'react';
import { IntlProvider, useIntl } from 'react-intl';
import { commonMessages, chartsMessages, frameMessages, verifyMessages } from './shared.ts';
import { askingMessages } from './asking.ts';
import { contextsMessages } from './contexts.ts';
import { demoMessages } from './demo.ts';
import { evaluationSetsMessages, judgesMessages } from './evaluation-sets.ts';
import { evaluationsMessages } from './evaluations.ts';
import { findingsMessages } from './findings.ts';
import { libraryMessages } from './library.ts';
import { liveMessages } from './live.ts';
import { newRunMessages } from './new-run.ts';
import { recordsMessages } from './records.ts';
import { reviewsMessages } from './reviews.ts';
import { runExportMessages } from './run-export.ts';
import { runsMessages } from './runs.ts';
import { settingsMessages } from './settings.ts';
import { tourMessages } from './tour.ts';
import { visibleString } from './visible-text.ts';

/** English, the language the lab speaks; another one is another object with the same keys. */
export const english = {
  ...commonMessages,
  ...chartsMessages,
  ...verifyMessages,
  ...frameMessages,
  ...runsMessages,
  ...runExportMessages,
  ...newRunMessages,
  ...liveMessages,
  ...recordsMessages,
  ...contextsMessages,
  ...reviewsMessages,
  ...libraryMessages,
  ...settingsMessages,
  ...demoMessages,
  ...tourMessages,
  ...evaluationsMessages,
  ...evaluationSetsMessages,
  ...judgesMessages,
  ...askingMessages,
  ...findingsMessages,
} as const;

export type MessageId = keyof typeof english;
export type MessageValues = Record<string, string | number | Date>;

/** Gives everything below it the catalogue. */
export function MessagesProvider({ children }: { children: ReactNode }) {
  return (
    <IntlProvider locale="en" messages={english} onError={raise}>
      {children}
    </IntlProvider>
  );
}

/** A missing message is a fault of ours: nobody should read its id. */
function raise(error: unknown): never {
  throw error;
}

export type Translate = (id: MessageId, values?: MessageValues) => string;

/** Names and words of others, in which nothing acts on the sentence around them. */
const asShown = (values: MessageValues | undefined): MessageValues | undefined =>
  values === undefined
    ? undefined
    : Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          name,
          typeof value === 'string' ? visibleString(value) : value,
        ]),
      );

/** `t('runs.title')`: the sentence of the catalogue with its values filled in. */
export function useTranslate(): Translate {
  const intl = useIntl();
  return useCallback(
    (id, values) => intl.formatMessage({ id, defaultMessage: english[id] }, asShown(values)),
    [intl],
  );
}
