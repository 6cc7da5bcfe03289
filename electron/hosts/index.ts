export { linkTo, serveLoopback, type LoopbackHost, type LoopbackOptions } from './loopback.ts';
export { openBundle, type Bundle, type BundleFile } from './bundle.ts';
export { CACHE_FOREVER, CACHE_NEVER, COMMON_HEADERS, freshNonce, pagePolicy } from './page-policy.ts';
export { Allowance } from './limits.ts';
export { Sessions, type Session } from './sessions.ts';
export type {
  BlockedAttempt,
  FromEngine,
  ProgramNews,
  ProgramWish,
  RunAtWork,
  RunEnded,
  ToEngine,
} from './engine-process/messages.ts';
