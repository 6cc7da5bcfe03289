export { serveLoopback, type LoopbackHost } from './loopback.ts';
export { refuse, type Refusal } from './guard.ts';
