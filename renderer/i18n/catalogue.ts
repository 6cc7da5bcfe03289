import { commonMessages } from './common.ts';
import { contextsMessages } from './rooms/contexts.ts';
import { evaluationSetsMessages } from './rooms/evaluation-sets.ts';
import { evaluationsMessages } from './rooms/evaluations.ts';
import { chartsMessages } from './charts.ts';
import { frameMessages } from './frame.ts';
import { libraryMessages } from './rooms/library.ts';
import { liveMessages } from './rooms/live.ts';
import { newRunMessages } from './rooms/new-run.ts';
import { recordsMessages } from './rooms/records.ts';
import { reviewsMessages } from './rooms/reviews.ts';
import { runsMessages } from './rooms/runs.ts';
import { settingsMessages } from './rooms/settings.ts';
import { tourMessages } from './rooms/tour.ts';

/** English, the language the lab speaks; another one is another object with the same keys. */
export const english = {
  ...commonMessages,
  ...chartsMessages,
  ...frameMessages,
  ...runsMessages,
  ...newRunMessages,
  ...liveMessages,
  ...recordsMessages,
  ...contextsMessages,
  ...reviewsMessages,
  ...libraryMessages,
  ...settingsMessages,
  ...tourMessages,
  ...evaluationsMessages,
  ...evaluationSetsMessages,
} as const;

export type MessageId = keyof typeof english;
export type Catalogue = Record<MessageId, string>;
export type MessageValues = Record<string, string | number | Date>;
