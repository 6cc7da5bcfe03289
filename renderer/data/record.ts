import type { UseQueryResult } from '@tanstack/react-query';
import { receivedRollout } from '../../electron/contract/index.ts';
import { api } from './client.ts';
import { useApiQuery } from './query.ts';

const whole = {
  query: async (input: { runId: string; recordId: string }) => {
    const sent = await api.records.get.query(input);
    return sent === null ? null : { ...sent, rollout: receivedRollout(sent.rollout) };
  },
};

/** A record with everything said about it. */
export type FullRecord = NonNullable<Awaited<ReturnType<typeof whole.query>>>;

/** Reads a record; null is one that its run does not have. Without an id nothing is read. `keep` shows the one before until it is there. */
export const useRecord = (
  runId: string,
  recordId: string | null,
  { keep = true }: { keep?: boolean } = {},
): UseQueryResult<FullRecord | null> =>
  useApiQuery(
    'records.get',
    whole,
    { runId, recordId: recordId ?? '' },
    { enabled: recordId !== null, keep },
  );
