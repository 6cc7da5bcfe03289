export { linkTo, serveLoopback, type LoopbackHost, type LoopbackOptions } from './loopback.ts';
export {
  openBundle,
  type Bundle,
  CACHE_NEVER,
  COMMON_HEADERS,
  FILE_POLICY,
  freshNonce,
  pagePolicy,
} from './bundle.ts';
export { Allowance, Sessions } from './admission.ts';
export { reachLab, readServingNote, serveLab, type ReachedLab } from './served-lab.ts';
export type {
  FromEngine,
  ProgramEvent,
  ProgramRequest,
  RunAtWork,
  RunEnded,
  ToEngine,
} from './engine-process/messages.ts';
