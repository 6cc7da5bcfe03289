import { useState } from 'react';
import type {
  EvaluationOrder,
  EvaluationEstimate,
  SuiteChoice,
} from '../../../../electron/contract/index.ts';
import { api, notify, readableFailure, useApiMutation, useApiQuery } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Button,
  Group,
  Modal,
  NativeSelect,
  NumberInput,
  QueryState,
  SegmentedControl,
  Stack,
  Text,
  durationText,
  Quiet,
  PartBanner,
} from '../../../ui/index.ts';

/** Which suites are put to which policies. The dialog chooses number of items, seed, protocols and judge. */
export type EvaluationRequest = {
  subjects: readonly string[];
  suites: readonly string[];
  seed: number | null;
  limit: number | null;
  context: 'run' | null;
  /** Those of figures that are to be added to; the usual ones where absent. */
  judge?: string | null;
  protocols?: Readonly<Record<string, string>>;
};

const FIRST_LIMIT = 100; // the interval of a share is then at most 10 points to each side
const MOST_ITEMS = 100_000;

type OrderProps = { request: EvaluationRequest; onClose: () => void; onStarted: () => void };

/** The last question before anything is evaluated. It is always there, closed or open: one that comes into being open gives no focus back. */
export function EvaluationDialog({ isOpen, ...order }: OrderProps & { isOpen: boolean }) {
  const t = useTranslate();
  const { suites, subjects } = order.request;
  return (
    <Modal
      opened={isOpen}
      onClose={order.onClose}
      size="lg"
      title={t('evaluations.order.title', { suites: suites.length, subjects: subjects.length })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Order {...order} />
    </Modal>
  );
}

/** What stands in the box of items per suite: nothing means all of them; anything else has to be a number of items. */
export function limitOf(items: number | string): { limit: number | null; isWrong: boolean } {
  const isNumber = typeof items === 'number' && items >= 1 && items <= MOST_ITEMS;
  return { limit: isNumber ? items : null, isWrong: items !== '' && !isNumber };
}

/** How much is asked, and the estimate of what that takes. */
function Order({ request, onClose, onStarted }: OrderProps) {
  const t = useTranslate();
  const suites = useApiQuery('evaluations.suites', api.evaluations.suites, undefined);
  const judges = useApiQuery('judges.list', api.judges.list, undefined);
  const chosen = useApiQuery('judges.chosen', api.judges.chosen, undefined);
  const [items, setItems] = useState<number | string>(request.limit ?? FIRST_LIMIT);
  const { limit, isWrong } = limitOf(items);
  const [seed, setSeed] = useState(request.seed ?? 1);
  const [context, setContext] = useState(request.context);
  const [ownJudge, setOwnJudge] = useState<string | null>(null);
  const [protocols, setProtocols] = useState<Readonly<Record<string, string>>>(request.protocols ?? {});
  const judge = ownJudge ?? request.judge ?? chosen.data ?? '';
  const order: EvaluationOrder = {
    subjects: [...request.subjects],
    suites: [...request.suites],
    limit,
    seed,
    context,
    judge: judge === '' ? null : judge,
    protocols,
    again: false,
  };
  const estimate = useApiQuery('evaluations.estimate', api.evaluations.estimate, order);
  const [problem, setProblem] = useState<string | null>(null);
  // Told here: a notice below would lie under this dialog.
  const start = useApiMutation(api.evaluations.start, {
    invalidates: ['jobs', 'evaluations'],
    onFailure: setProblem,
  });
  const cells = estimate.isPlaceholderData ? 0 : (estimate.data?.cells.length ?? 0);
  const begin = (): void => {
    setProblem(null);
    start.mutate(order, {
      onSuccess: () => {
        notify(t('evaluations.started', { n: cells }));
        onStarted();
      },
    });
  };
  return (
    <Stack gap="md">
      <PartBanner reads={[suites, judges, chosen]} problemOf={readableFailure} />
      <Group align="flex-end" gap="md">
        <NumberInput
          data-autofocus
          w={170}
          size="sm"
          label={t('evaluations.order.limit')}
          placeholder={t('evaluations.order.limit.all')}
          min={1}
          max={MOST_ITEMS}
          clampBehavior="none"
          allowDecimal={false}
          value={items}
          error={isWrong ? t('evaluations.order.limit.wrong', { most: MOST_ITEMS }) : undefined}
          onChange={setItems}
        />
        <NumberInput
          w={100}
          size="sm"
          label={t('evaluations.seed')}
          min={0}
          allowDecimal={false}
          allowNegative={false}
          value={seed}
          onChange={(value) => setSeed(typeof value === 'number' ? value : 1)}
        />
        <NativeSelect
          size="sm"
          label={t('evaluations.order.judge')}
          value={judge}
          onChange={(event) => setOwnJudge(event.currentTarget.value)}
          data={[
            { value: '', label: t('evaluations.order.judge.none') },
            ...(judges.data ?? []).map(({ name }) => ({ value: name, label: name })),
          ]}
        />
      </Group>
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          {t('evaluations.context')}
        </Text>
        <SegmentedControl
          size="sm"
          aria-label={t('evaluations.context')}
          value={context ?? 'weights'}
          data={[
            { value: 'weights', label: t('evaluations.context.weights') },
            { value: 'run', label: t('evaluations.context.run') },
          ]}
          onChange={(value) => setContext(value === 'run' ? 'run' : null)}
        />
        <Quiet size="xs">
          {t(context === null ? 'evaluations.context.weights.text' : 'evaluations.context.run.text')}
        </Quiet>
      </Stack>
      <ProtocolPicker
        suites={(suites.data ?? []).filter(({ name }) => request.suites.includes(name))}
        chosen={protocols}
        onChosen={(suite, protocol) => setProtocols({ ...protocols, [suite]: protocol })}
      />
      <QueryState read={estimate} problemOf={readableFailure}>
        {(found) => <EstimateView estimate={found} />}
      </QueryState>
      {problem !== null && (
        <Text size="sm" c="var(--bad)" role="alert">
          {problem}
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button disabled={cells === 0 || isWrong} loading={start.isPending} onClick={begin}>
          {t('evaluations.order.start', { n: cells })}
        </Button>
      </Group>
    </Stack>
  );
}

const MOST_REASONS = 8;

/** What an order would take, and what of it cannot be done and why. */
export function EstimateView({ estimate }: { estimate: EvaluationEstimate }) {
  const t = useTranslate();
  const { cells, items, seconds, skipped } = estimate;
  const isMeasured = cells.every(({ basis }) => basis === 'measured');
  const unknown = cells.filter((cell) => cell.seconds === null).length;
  const done = cells.reduce((sum, cell) => sum + cell.done, 0);
  const reasons = [...Map.groupBy(skipped, ({ why }) => why)];
  return (
    <Stack gap={6} role="region" aria-label={t('evaluations.estimate')}>
      {cells.length === 0 ? (
        <Text size="sm">{t('evaluations.estimate.nothing')}</Text>
      ) : (
        <>
          <Text size="sm" className="numbers">
            {t('evaluations.estimate.cells', { cells: cells.length, items })}
          </Text>
          <Text size="sm" className="numbers">
            {seconds === null
              ? t('evaluations.estimate.unknown')
              : t('evaluations.estimate.time', {
                  time: durationText(seconds),
                  basis: t(isMeasured ? 'common.measured' : 'common.estimated'),
                })}
            {seconds !== null && unknown > 0 && ` ${t('evaluations.estimate.without', { n: unknown })}`}
          </Text>
          {done > 0 && <Quiet className="numbers">{t('evaluations.estimate.done', { n: done })}</Quiet>}
        </>
      )}
      {reasons.slice(0, MOST_REASONS).map(([why, those]) => (
        <Text key={why} size="xs" c="var(--warn)">
          {t('evaluations.estimate.skipped', {
            suites: [...new Set(those.map(({ suite }) => suite))].join(', '),
            why,
          })}
        </Text>
      ))}
      {reasons.length > MOST_REASONS && (
        <Quiet size="xs">{t('evaluations.estimate.moreSkipped', { n: reasons.length - MOST_REASONS })}</Quiet>
      )}
    </Stack>
  );
}

type ProtocolPickerProps = {
  suites: readonly SuiteChoice[];
  /** Protocol by suite; a suite's first one where absent. */ chosen: Readonly<Record<string, string>>;
  onChosen: (suite: string, protocol: string) => void;
};

/** How each suite puts its questions, for those that know several ways. Scores under different ones are different measurements. */
export function ProtocolPicker({ suites, chosen, onChosen }: ProtocolPickerProps) {
  const t = useTranslate();
  const several = suites.filter(({ protocols }) => protocols.length > 1);
  if (several.length === 0) return null;
  return (
    <Stack gap={4} role="group" aria-label={t('evaluations.order.protocols')}>
      <Text size="sm" fw={500}>
        {t('evaluations.order.protocols')}
      </Text>
      <div className="evaluations-protocols">
        {several.map(({ name, title, protocols }) => {
          const own = protocols.find((one) => one.name === chosen[name]) ?? protocols[0];
          return (
            <NativeSelect
              key={name}
              size="xs"
              label={title}
              description={own?.says}
              value={own?.name}
              data={protocols.map((one) => one.name)}
              onChange={(event) => onChosen(name, event.currentTarget.value)}
            />
          );
        })}
      </div>
    </Stack>
  );
}
