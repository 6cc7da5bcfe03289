import { commonWords } from './common.ts';
import { contextsWords } from './rooms/contexts.ts';
import { evaluationSetsWords } from './rooms/evaluation-sets.ts';
import { evaluationsWords } from './rooms/evaluations.ts';
import { figuresWords } from './figures.ts';
import { frameWords } from './frame.ts';
import { libraryWords } from './rooms/library.ts';
import { liveWords } from './rooms/live.ts';
import { newRunWords } from './rooms/new-run.ts';
import { recordsWords } from './rooms/records.ts';
import { reviewsWords } from './rooms/reviews.ts';
import { runsWords } from './rooms/runs.ts';
import { settingsWords } from './rooms/settings.ts';
import { tourWords } from './rooms/tour.ts';

/** English, the language the lab speaks; another one is another object with the same keys. */
export const english = {
  ...commonWords,
  ...figuresWords,
  ...frameWords,
  ...runsWords,
  ...newRunWords,
  ...liveWords,
  ...recordsWords,
  ...contextsWords,
  ...reviewsWords,
  ...libraryWords,
  ...settingsWords,
  ...tourWords,
  ...evaluationsWords,
  ...evaluationSetsWords,
} as const;

export type WordId = keyof typeof english;
export type Catalogue = Record<WordId, string>;
export type WordValues = Record<string, string | number | Date>;
