export { bridge, admission, signIn, type Admission } from './host.ts';
export {
  api,
  currentConnection,
  onConnection,
  useConnectionStatus,
  type Api,
  type Connection,
  type ConnectionStatus,
} from './client.ts';
export {
  readableFailure,
  notify,
  notifyFailure,
  useNotices,
  type ReadableFailure,
  type Notice,
} from './notices.ts';
export { useJobs, childKey, receive, startLive, useLiveEvents, useLiveState } from './live.ts';
export { useApiPages, queryClient, invalidate, useApiMutation, useApiQuery, type Pages } from './query.ts';
export { usePathChoice, type PathChoice } from './path-choice.ts';
