export { startShell } from './start.ts';
export type { PageChannel, ShellChannel } from './ipc.ts';
