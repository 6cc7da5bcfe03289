export { bridge, admission, signIn } from './host.ts';
export { api, useConnectionStatus, type Api } from './client.ts';
export { readableFailure, notify, notifyFailure, useNotices, type Notice } from './notices.ts';
export { useJobs, childKey, receive, startLive, useLiveEvents, useLiveState } from './live.ts';
export { useApiPages, queryClient, invalidate, useApiMutation, useApiQuery, type Pages } from './query.ts';
export { usePathChoice } from './path-choice.ts';
export { useJudgeProbe } from './judge-probe.ts';
