import { useState } from 'react';
import type { RunAnnotation, RunRow } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  bytesText,
  durationText,
  OverriddenMark,
  percentText,
  reviewerText,
  Table,
  TagsInput,
  Quiet,
  Textarea,
  When,
} from '../../../ui/index.ts';
import { bracketText, pointsText } from './run-cells.tsx';

/** What a run is and took, as a list of facts. */
export function RunFacts({ row }: { row: RunRow }) {
  const t = useTranslate();
  const supervisor = Object.values(row.phases).every((p) => p === 0)
    ? t('runs.supervision.off')
    : reviewerText(
        t,
        row.reviewer,
        row.reviewer === 'llama' ? (row.supervisorModel.split('/').at(-1) ?? null) : null,
      );
  const facts: [string, React.ReactNode][] = [
    [t('runs.fact.started'), <When key="when" iso={row.createdAt} />],
    [t('runs.fact.steps'), t('runs.fact.stepsOf', { done: row.committedSteps, steps: row.steps })],
    [t('runs.fact.time'), durationText(row.seconds)],
    ...(row.secondsPerStep === null
      ? []
      : [
          [t('runs.fact.pace'), t('runs.fact.paceOf', { time: durationText(row.secondsPerStep) })] as [
            string,
            string,
          ],
        ]),
    [t('runs.fact.model'), row.policyModel],
    [t('runs.fact.framework'), t(`framework.${row.framework}`)],
    [t('runs.fact.preset'), row.preset],
    [t('runs.fact.seed'), String(row.seed)],
    [t('runs.fact.supervisor'), supervisor],
    ...(row.rewardedShare === 0
      ? []
      : [
          [
            t('runs.fact.rewardedPrompts'),
            t('runs.fact.rewardedPromptsOf', { share: percentText(row.rewardedShare, 0) }),
          ] as [string, string],
        ]),
    [t('runs.fact.reviews'), row.reviews.toLocaleString('en')],
    [
      t('runs.fact.checkpoints'),
      t('runs.fact.checkpointsOf', { n: row.checkpoints, bytes: bytesText(row.checkpointBytes) }),
    ],
    [t('runs.fact.id'), row.id],
  ];
  return (
    <dl className="runs-facts numbers">
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Every suite of the last evaluated checkpoint. */
export function RunScores({ row: { scores } }: { row: RunRow }) {
  const t = useTranslate();
  const [first] = scores;
  if (first === undefined) return <Quiet>{t('runs.scores.none')}</Quiet>;
  return (
    <>
      <Quiet size="xs" mb={4}>
        {t('runs.scores.step', { step: first.step, context: first.withContext ? 'yes' : 'no' })}
      </Quiet>
      <Table verticalSpacing={2} horizontalSpacing={4} fz={13} className="numbers">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('runs.scores.suite')}</Table.Th>
            <Table.Th ta="end">{t('runs.scores.passed')}</Table.Th>
            <Table.Th ta="end">{t('runs.scores.n')}</Table.Th>
            <Table.Th ta="end">{t('runs.scores.change')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {scores.map(({ id, suite, passed, n, overridden, intervals, base }) => (
            <Table.Tr key={id}>
              <Table.Td>{suite}</Table.Td>
              <Table.Td ta="end">
                {percentText(passed / n)}
                <OverriddenMark n={overridden} />{' '}
                <span className="runs-quiet">{bracketText(intervals.passed)}</span>
              </Table.Td>
              <Table.Td ta="end">{n}</Table.Td>
              <Table.Td ta="end">
                {base === null
                  ? '–'
                  : t('runs.points', { points: pointsText((passed / n - base.passed / base.n) * 100) })}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}

const MOST_TAGS = 12;

/** Tags and notes of a run. Notes are kept when the field is left, or with Ctrl+Enter. */
export function AnnotationFields({
  annotation,
  onChange,
}: {
  annotation: RunAnnotation;
  onChange: (change: Partial<RunAnnotation>) => void;
}) {
  const t = useTranslate();
  const [typed, setTyped] = useState<string | null>(null);
  const notes = typed ?? annotation.notes;
  const keep = (): void => {
    if (notes !== annotation.notes) onChange({ notes });
  };
  return (
    <>
      <TagsInput
        size="xs"
        mt="md"
        label={t('runs.tags')}
        placeholder={annotation.tags.length === 0 ? t('runs.tags.placeholder') : undefined}
        value={annotation.tags}
        maxTags={MOST_TAGS}
        onChange={(tags) => onChange({ tags })}
      />
      <Textarea
        size="xs"
        mt="xs"
        label={t('runs.notes')}
        placeholder={t('runs.notes.placeholder')}
        rows={3}
        resize="vertical"
        maxLength={4000}
        value={notes}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) keep();
        }}
      />
    </>
  );
}
