// @vitest-environment happy-dom
import { TRPCClientError } from '@trpc/client';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  notify,
  notifyFailure,
  queryClient,
  readableFailure,
  settleNotices,
  invalidate,
  useNotices,
} from '../../../renderer/data/index.ts';

const stale = (): string[] =>
  queryClient
    .getQueryCache()
    .getAll()
    .filter((query) => query.state.isInvalidated)
    .map((query) => String(query.queryKey[0]))
    .sort();

describe('reading again', () => {
  beforeEach(() => {
    queryClient.clear();
    for (const path of ['runs.list', 'runs.get', 'runsOfOthers.list', 'records.page'])
      queryClient.setQueryData([path, { a: 1 }], {});
  });

  it('covers a verb and everything under its room, and nothing that merely begins alike', () => {
    invalidate('runs');
    expect(stale()).toEqual(['runs.get', 'runs.list']);
    invalidate('records.page');
    expect(stale()).toEqual(['records.page', 'runs.get', 'runs.list']);
  });

  it('of nothing reads nothing', () => {
    invalidate();
    expect(stale()).toEqual([]);
  });
});

describe('a failure', () => {
  it('of a verb keeps its sentence and its kind, for the remedy that fits', () => {
    const error = TRPCClientError.from({
      error: {
        message: 'Run "x" is done.',
        code: -32_600,
        data: { code: 'BAD_REQUEST', httpStatus: 400, path: 'runs.resume', kind: 'runDone' },
      },
    });
    expect(readableFailure(error)).toMatchObject({
      sentence: 'Run "x" is done.',
      kind: 'runDone',
      details: expect.stringContaining('runs.resume BAD_REQUEST') as string,
    });
  });

  it('that is no Failure still has a sentence', () => {
    expect([readableFailure(new Error('broken')).sentence, readableFailure('odd').sentence]).toEqual([
      'broken',
      'odd',
    ]);
  });
});

describe('notices', () => {
  beforeEach(() => useNotices.setState({ notices: [] }));

  it('say the same thing once, and keep the newest four', () => {
    for (const text of ['a', 'b', 'a', 'c', 'd', 'e']) notify(text);
    expect(useNotices.getState().notices.map(({ text }) => text)).toEqual(['a', 'c', 'd', 'e']);
  });

  it('of failures are bad, and each can be closed', () => {
    notifyFailure('it failed');
    const [notice] = useNotices.getState().notices;
    expect(notice?.tone).toBe('bad');
    useNotices.getState().close(notice?.id ?? -1);
    expect(useNotices.getState().notices).toEqual([]);
  });

  it('of failures go with the page that is left, and what else was said stays', () => {
    notifyFailure('The disk is full.', 'backup');
    notify('Copied.');
    notify('Read again.', 'plain');
    notifyFailure('No such model.');
    useNotices.getState().leave();
    expect(useNotices.getState().notices.map(({ text }) => text)).toEqual(['Copied.', 'Read again.']);
  });
});

describe('a notice with a cause', () => {
  it('goes when that is tried again, and takes no other with it', () => {
    useNotices.setState({ notices: [] });
    notifyFailure('No such model.', 'start');
    notifyFailure('The disk is full.', 'backup');
    notify('Copied.');
    settleNotices('start');
    expect(useNotices.getState().notices.map(({ text }) => text)).toEqual(['The disk is full.', 'Copied.']);
  });
});
