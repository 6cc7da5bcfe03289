import { useEffect, useState, type FormEvent } from 'react';
import { codeBatchName } from '../../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery, useRecord } from '../../../data/index.ts';
import { Button, Group, QueryState, Stack, Text, Textarea, Quiet } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { SUPERVISED, useTourProgress } from '../model.ts';
import { Pane, type StopExhibit } from '../stop-frame.tsx';

/** The answer is one value, and the agent did not find it. */
const SUITED = { batch: codeBatchName('solve', 'deduction'), outcome: 'failed' } as const;

/** A person's own feedback against the real guard. */
export const LeakStop: StopExhibit = ({ onDone }) => {
  const page = useApiQuery('records.page', api.records.page, {
    runId: SUPERVISED,
    filter: SUITED,
    limit: 40,
  });
  return (
    <QueryState read={page} problemOf={readableFailure}>
      {({ rows }) => (
        <LeakTry
          recordId={
            rows.find(({ taskId, text }) => taskId !== null && text.length < 400)?.id ?? rows[0]?.id ?? null
          }
          onDone={onDone}
        />
      )}
    </QueryState>
  );
};

function LeakTry({ recordId, onDone }: { recordId: string | null; onDone: () => void }) {
  const t = useTranslate();
  const [text, setText] = useState('');
  const [asked, setAsked] = useState<string | null>(null);
  const record = useRecord(SUPERVISED, recordId);
  const verdict = useApiQuery(
    'tour.tryLeak',
    api.tour.tryLeak,
    { runId: SUPERVISED, recordId: recordId ?? '', feedback: asked ?? '' },
    { enabled: asked !== null && recordId !== null, keep: false },
  );
  const isCaught = verdict.data !== undefined && verdict.data.findings.length > 0;
  useEffect(() => {
    if (isCaught) onDone();
  }, [isCaught, onDone]);
  const show = useTourProgress((state) => state.show);
  useEffect(() => {
    if (recordId !== null) show('leak', { record: recordId });
  }, [show, recordId]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setAsked(text);
  };
  if (recordId === null) return null;
  return (
    <QueryState read={record} problemOf={readableFailure}>
      {(found) => {
        const answer = found?.task?.outputs[0] ?? '';
        return found === null ? null : (
          <form onSubmit={submit}>
            <Stack gap="sm">
              <div className="tour-pair">
                <Pane label={t('tour.leak.task')}>
                  <Quiet>{t('tour.leak.task')}</Quiet>
                  <pre className="ui-pre">{found.rollout.user}</pre>
                </Pane>
                <Pane label={t('tour.verdict.wrote')}>
                  <Text fw={600}>{t('tour.leak.answer', { answer })}</Text>
                  <Quiet mt="sm">{t('tour.verdict.wrote')}</Quiet>
                  <pre className="ui-pre">{found.rollout.text}</pre>
                </Pane>
              </div>
              <Textarea
                label={t('tour.leak.write')}
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
                minRows={2}
                autosize
                maxLength={2000}
              />
              <Group>
                <Button type="submit" disabled={text.trim() === ''}>
                  {t('tour.leak.try')}
                </Button>
                <Button variant="default" onClick={() => setText(t('tour.leak.example.text', { answer }))}>
                  {t('tour.leak.example')}
                </Button>
              </Group>
              {asked !== null && (
                <QueryState read={verdict} problemOf={readableFailure}>
                  {({ findings }) => (
                    <Text role="status" fw={600} c={isCaught ? 'var(--bad)' : undefined}>
                      {isCaught
                        ? t('tour.leak.caught', { findings: findings.join('; ') })
                        : t('tour.leak.clean')}
                    </Text>
                  )}
                </QueryState>
              )}
            </Stack>
          </form>
        );
      }}
    </QueryState>
  );
}
