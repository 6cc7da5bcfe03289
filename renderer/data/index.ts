export { bridge, admission, isNotesWindow, openNotes, signIn, usePathChoice } from './host.ts';
export { api, useConnectionStatus, type Api } from './client.ts';
export { useRecord, type FullRecord } from './record.ts';
export { everyRow, ROWS_AT_A_TIME } from './every-row.ts';
export { useReport } from './report.ts';
export { useRunExport } from './run-export.ts';
export { sampleFacts, type SampleState } from './sample.ts';
export { useJobs, useJudgeProbe, childKey, receive, startLive, useLiveEvents, useLiveState } from './live.ts';
export {
  useApiPages,
  queryClient,
  invalidate,
  useApiMutation,
  useApiQuery,
  type Pages,
  readableFailure,
  notify,
  notifyFailure,
  settleNotices,
  useNotices,
  type Notice,
} from './query.ts';
export { useFailedReads, useSideQuery } from './unread.ts';
export { useItemsExport } from './items-export.ts';
export { useVerification } from './verification.ts';
