import { useState } from 'react';
import type { EvaluationMatrix } from '../../../../electron/contract/index.ts';
import { useCommand } from '../../../commands/index.ts';
import { api, useApiQuery } from '../../../data/index.ts';
import { Button, durationText } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { holes, suitesOf } from '../model/matrix.ts';
import { OrderDialog, type Wanted } from '../parts/order-dialog.tsx';

type RunMissingProps = {
  matrix: EvaluationMatrix;
  subjects: readonly string[];
  seed: number | null;
  limit: number | null;
  judge: string | null;
  context: 'run' | null;
};

/** Fills the holes of the table as its other figures were made: seed, limit, judge and protocols. Says first what that takes. */
export function RunMissing({ matrix, subjects, seed, limit, judge, context }: RunMissingProps) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const missing = holes(matrix);
  const wanted: Wanted = {
    subjects,
    suites: suitesOf(matrix),
    seed: seed ?? matrix.seeds[0] ?? null,
    limit: limit ?? matrix.limits[0] ?? null,
    judge: judge ?? matrix.judges[0] ?? null,
    protocols: matrix.protocols,
    context,
  };
  const estimate = useApiQuery(
    'evaluations.estimate',
    api.evaluations.estimate,
    {
      subjects: [...subjects],
      suites: [...wanted.suites],
      seed: wanted.seed ?? 1,
      limit: wanted.limit,
      context,
      judge: wanted.judge ?? null,
      protocols: matrix.protocols,
      again: false,
    },
    { enabled: missing > 0 && wanted.suites.length > 0 },
  );
  const canRun = wanted.suites.length > 0 && missing > 0;
  useCommand(
    {
      id: 'evaluations.missing',
      title: t('evaluations.missing.command'),
      keys: 'm',
      group: t('evaluations.group'),
      run: () => setOpen(true),
    },
    canRun,
  );
  const cells = estimate.data?.cells.length ?? missing;
  const seconds = estimate.data?.seconds ?? null;
  return (
    <>
      <Button disabled={!canRun} onClick={() => setOpen(true)}>
        {!canRun
          ? t('evaluations.missing.none')
          : seconds === null
            ? t('evaluations.missing', { n: cells })
            : t('evaluations.missing.time', { n: cells, time: durationText(seconds) })}
      </Button>
      {isOpen && (
        <OrderDialog wanted={wanted} onClose={() => setOpen(false)} onStarted={() => setOpen(false)} />
      )}
    </>
  );
}
