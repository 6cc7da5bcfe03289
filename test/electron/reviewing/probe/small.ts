import type { ProbeRequest } from '../../../../electron/reviewing/index.ts';

/** The smallest probe that has prose, a program and every pass. */
export const SMALL: ProbeRequest = {
  model: 'embedded',
  items: 12,
  phases: ['plan', 'thought'],
  seed: 3,
  threads: 1,
};
