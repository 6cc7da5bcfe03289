export { linkTo, serveLoopback, type LoopbackHost, type LoopbackOptions } from './loopback.ts';
export { openBundle, type Bundle, type BundleFile } from './bundle.ts';
export { CACHE_FOREVER, CACHE_NEVER, COMMON_HEADERS, freshNonce, pagePolicy } from './bundle.ts';
export { Allowance, Sessions, type Session } from './admission.ts';
export type {
  BlockedAttempt,
  FromEngine,
  ProgramEvent,
  ProgramRequest,
  RunAtWork,
  RunEnded,
  ToEngine,
} from './engine-process/messages.ts';
