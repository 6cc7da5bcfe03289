import { useState, type FormEvent } from 'react';
import {
  ITEM_FILTERS,
  type EvaluationSummary,
  type EvaluationComparison,
  type ItemFilter,
} from '../../../../electron/contract/index.ts';
import { useItemsExport, useVerification } from '../../../data/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import {
  Button,
  NativeSelect,
  Text,
  Title,
  Popover,
  Stack,
  TextInput,
  Banner,
  Chip,
  JobLine,
  Group,
  Quiet,
  VerificationPanel,
} from '../../../ui/index.ts';
import { scoreText, changeText, chanceText } from '../score-text.ts';

type ItemsHeadProps = {
  summary: EvaluationSummary;
  others: readonly EvaluationSummary[];
  against: string | null;
  onAgainst: (id: string | null) => void;
  onBack: () => void;
};

/** Whose answers these are, what they came to, and what they are compared with. */
export function ItemsHead({ summary, others, against, onAgainst, onBack }: ItemsHeadProps) {
  const t = useTranslate();
  const { plan, scores, corrected, counts } = summary;
  return (
    <header className="evaluations-head">
      <Button size="compact-sm" variant="default" onClick={onBack}>
        {t('evaluations.back')}
      </Button>
      <div className="evaluations-head-text">
        <Title order={2}>
          {t('evaluations.items.title', { suite: plan.suite, subject: plan.subject.label })}
        </Title>
        <Quiet size="xs" className="numbers">
          {conditionsText(t, summary)} ·{' '}
          {plan.judge === null
            ? t('evaluations.judge.none')
            : t('evaluations.cell.judge', { judge: plan.judge.name })}
        </Quiet>
        <Text size="sm" className="numbers">
          {scores.map((score, index) => {
            const kept = corrected?.[index];
            const value = scoreText(score.value, score.unit);
            return (
              <span key={score.name} className="evaluations-score">
                {score.name}{' '}
                <strong>
                  {kept === undefined || kept.value === score.value
                    ? value
                    : t('evaluations.corrected', { value: scoreText(kept.value, kept.unit), graded: value })}
                </strong>
              </span>
            );
          })}
          {counts.unjudged > 0 && (
            <span className="evaluations-quiet">
              {t('evaluations.counts.unjudged', { n: counts.unjudged })}
            </span>
          )}
        </Text>
      </div>
      {summary.state === 'done' && <VerifyButton id={summary.id} />}
      {summary.state === 'done' && <ExportButton id={summary.id} />}
      <NativeSelect
        className="evaluations-against"
        size="xs"
        label={t('evaluations.against')}
        value={against ?? ''}
        onChange={(event) => onAgainst(event.currentTarget.value === '' ? null : event.currentTarget.value)}
        data={[
          { value: '', label: t('evaluations.against.none') },
          ...others.map((other) => ({
            value: other.id,
            label: t('evaluations.against.one', {
              subject: other.plan.subject.label,
              conditions: conditionsText(t, other),
            }),
          })),
        ]}
      />
    </header>
  );
}

/** Computes an evaluation again, with the rules and what differs in a panel of its own. */
function VerifyButton({ id }: { id: string }) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const verification = useVerification({ evaluationId: id });
  return (
    <Popover
      position="bottom-end"
      withArrow
      trapFocus
      returnFocus
      withinPortal
      opened={isOpen}
      onChange={setOpen}
    >
      <Popover.Target>
        <Button size="compact-sm" variant="default" onClick={() => setOpen(!isOpen)}>
          {t('evaluations.verify')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className="evaluations-verify">
        <VerificationPanel text={t('verify.text.evaluation')} {...verification} />
      </Popover.Dropdown>
    </Popover>
  );
}

const FORMATS = ['inspect', 'csv'] as const;

/** Writes an evaluation with all its answers to a file of this machine: a log that Inspect opens, or a table. */
function ExportButton({ id }: { id: string }) {
  const t = useTranslate();
  const [format, setFormat] = useState<(typeof FORMATS)[number]>('inspect');
  const [target, setTarget] = useState('');
  const [isOpen, setOpen] = useState(false);
  const { job, path, isAsked, onStart, onCancel } = useItemsExport(id);
  const isAtWork = job?.state === 'running';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onStart(format, target.trim());
  };
  return (
    <Popover
      position="bottom-end"
      withArrow
      trapFocus
      returnFocus
      withinPortal
      opened={isOpen}
      onChange={setOpen}
    >
      <Popover.Target>
        <Button size="compact-sm" variant="default" onClick={() => setOpen(!isOpen)}>
          {t('evaluations.export')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submit} className="evaluations-picker">
          <Stack gap="sm">
            <NativeSelect
              size="sm"
              label={t('evaluations.export.format')}
              value={format}
              data={FORMATS.map((one) => ({ value: one, label: t(`evaluations.export.${one}`) }))}
              onChange={(event) => setFormat(event.currentTarget.value === 'csv' ? 'csv' : 'inspect')}
            />
            <TextInput
              size="sm"
              label={t('evaluations.export.path')}
              description={t('evaluations.export.text')}
              spellCheck={false}
              value={target}
              onChange={(event) => setTarget(event.currentTarget.value)}
            />
            <Button type="submit" size="sm" disabled={target.trim() === ''} loading={isAsked || isAtWork}>
              {t('evaluations.export.write')}
            </Button>
            {job !== null && <JobLine job={job} onCancel={() => onCancel(job.id)} />}
            {path !== null && (
              <Text size="sm" role="status">
                {t('evaluations.export.written', { path })}
              </Text>
            )}
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

/** What two evaluations differ in, item by item, and whether chance alone would do that. */
export function ComparisonLine({ comparison }: { comparison: EvaluationComparison }) {
  const t = useTranslate();
  const { common, items, onlyBefore, onlyAfter, lost, gained, exact, mid, difference, low, high, warnings } =
    comparison;
  const { detectable } = comparison;
  const points = (share: number): string => changeText(share, 'share');
  return (
    <div className="evaluations-comparison" role="region" aria-label={t('evaluations.compare')}>
      {warnings.map((warning) => (
        <Banner key={warning} tone="warn">
          {warning}
        </Banner>
      ))}
      <Text size="sm" className="numbers">
        <strong>{t('evaluations.compare.flips', { lost, gained, n: common })}</strong>{' '}
        {t('evaluations.compare.change', {
          change: points(difference),
          low: points(low),
          high: points(high),
        })}{' '}
        {t(common === items ? 'evaluations.compare.p' : 'evaluations.compare.pClustered', {
          exact: chanceText(exact),
          mid: chanceText(mid),
          items,
        })}{' '}
        {detectable === null
          ? t('evaluations.compare.tooFew')
          : t('evaluations.compare.detectable', { points: (100 * detectable).toFixed(1) })}
        {(onlyBefore > 0 || onlyAfter > 0) &&
          ` ${t('evaluations.compare.apart', { before: onlyBefore, after: onlyAfter })}`}
      </Text>
    </div>
  );
}

/** Which answers the list shows, with how many there are of each kind; kinds without any are left out. */
export function FilterChips({
  counts,
  value,
  onChange,
}: {
  counts: Record<ItemFilter, number>;
  value: ItemFilter;
  onChange: (value: ItemFilter) => void;
}) {
  const t = useTranslate();
  const shown = ITEM_FILTERS.filter((filter) => filter === 'all' || filter === value || counts[filter] > 0);
  return (
    <Chip.Group multiple={false} value={value} onChange={(next) => onChange(next as ItemFilter)}>
      <Group gap={6} role="radiogroup" aria-label={t('evaluations.show')} className="evaluations-chips">
        {shown.map((filter) => (
          <Chip key={filter} size="xs" value={filter}>
            {t('evaluations.show.count', { name: t(`evaluations.show.${filter}`), n: counts[filter] })}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
}

/** Protocol, seed, limit and context: what two evaluations must share to be compared. */
export const conditionsText = (t: Translate, summary: EvaluationSummary): string =>
  `${protocolText(t, summary)} · ${contextText(t, summary)}`;

export const contextText = (t: Translate, { plan: { context } }: EvaluationSummary): string =>
  context === null ? t('evaluations.context.weights') : t('evaluations.context.run');

/** How its items were asked, and how many of them. */
export function protocolText(t: Translate, { plan: { protocol, seed, limit } }: EvaluationSummary): string {
  return [
    t('evaluations.conditions', { protocol: protocol.name, temperature: protocol.temperature, seed }),
    limit === null ? t('evaluations.limit.all') : t('evaluations.limit.value', { limit }),
  ].join(' · ');
}
