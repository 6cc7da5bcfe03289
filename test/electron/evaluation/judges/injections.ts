import { judges } from '../../../../electron/evaluation/index.ts';
import { PAYLOADS } from '../../supervision/payloads.ts';

/** Our attempts on judges, and those on reviewers. */
export const INJECTIONS: readonly string[] = [
  ...new Set([...judges.INJECTION_ATTEMPTS, ...PAYLOADS.filter((payload) => payload.length < 5_000)]),
];
