const EVOLUTION = 'test/electron/evolution';
const OF_A_STEP = `${EVOLUTION}/scripted-step.test.ts`;
const OF_ITS_SUPERVISION = `${EVOLUTION}/scripted-supervision.test.ts`;
const PINNED = `${EVOLUTION}/pinned-records.test.ts`;

/** Whole steps that a script writes: for what stands between the rules and the loop. */
export const STEP = [OF_A_STEP, PINNED];
export const SUPERVISED_STEP = [OF_ITS_SUPERVISION, OF_A_STEP, PINNED];
export const ITERATION = [`${EVOLUTION}/rzero/iteration.test.ts`, PINNED];
