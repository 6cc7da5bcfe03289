import { INJECTION_ATTEMPTS } from '../../../../electron/evaluation/judges/calibration.ts';
import { PAYLOADS } from '../../supervision/payloads.ts';

/** Our attempts on judges, and those on reviewers. */
export const INJECTIONS: readonly string[] = [
  ...new Set([...INJECTION_ATTEMPTS, ...PAYLOADS.filter((payload) => payload.length < 5_000)]),
];
