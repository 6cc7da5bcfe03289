import { useState } from 'react';
import type { CellMark, EvaluationMatrix, MatrixRequest } from '../../../../electron/contract/index.ts';
import { useCommand } from '../../../commands/index.ts';
import { api, notify, notifyFailure, readableFailure, useApiQuery } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Button, Menu, durationText, saveText, useFileName } from '../../../ui/index.ts';
import { EvaluationDialog, type EvaluationRequest } from '../request/evaluation-dialog.tsx';
import { columnsAsked, holes, suitesOf } from './grid.ts';
import { MARK_SIGNS } from './matrix-cell.tsx';

/** What the signs in the table mean; only of those that are in it. */
export function Legend({ matrix: { rows } }: { matrix: Pick<EvaluationMatrix, 'rows'> }) {
  const t = useTranslate();
  const marks = new Set(rows.flatMap(({ cells }) => cells.flatMap((cell) => cell?.marks ?? [])));
  const methods = [
    ...new Set(rows.flatMap(({ cells }) => cells.flatMap((cell) => cell?.change?.method ?? []))),
  ];
  const shown = (Object.keys(MARK_SIGNS) as CellMark[]).filter((mark) => marks.has(mark));
  return (
    <ul className="evaluations-legend" aria-label={t('evaluations.legend')}>
      <li>{t('evaluations.legend.interval')}</li>
      {methods.map((method) => (
        <li key={method}>{t(`evaluations.legend.change.${method}`)}</li>
      ))}
      {shown.map((mark) => (
        <li key={mark} data-mark={mark}>
          <span aria-hidden>{MARK_SIGNS[mark]}</span> {t(`evaluations.legend.${mark}`)}
        </li>
      ))}
    </ul>
  );
}

const TABLE_FORMATS = ['markdown', 'latex', 'csv'] as const;
type TableFormat = (typeof TABLE_FORMATS)[number];

/** The table as text for a paper or a sheet, on the clipboard or in a file. */
export function CopyTable({
  isBusy,
  onCopy,
  onSave,
}: {
  isBusy: boolean;
  onCopy: (format: TableFormat) => void;
  onSave: () => void;
}) {
  const t = useTranslate();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" loading={isBusy}>
          {t('evaluations.copy')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {TABLE_FORMATS.map((format) => (
          <Menu.Item key={format} onClick={() => onCopy(format)}>
            {t(`evaluations.copy.${format}`)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={onSave}>{t('figure.export.csv')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Puts the table on the clipboard, by button or from the palette, or into a file. */
export function useCopy(request: MatrixRequest): {
  isBusy: boolean;
  copy: (format: TableFormat) => void;
  save: () => void;
} {
  const t = useTranslate();
  const [isBusy, setBusy] = useState(false);
  const fileName = useFileName();
  const take = async (format: TableFormat, into: (text: string) => Promise<void> | void): Promise<void> => {
    setBusy(true);
    try {
      const { text } = await api.evaluations.exportMatrix.query({ request, format });
      await into(text);
    } catch (error) {
      notifyFailure(readableFailure(error).sentence);
    } finally {
      setBusy(false);
    }
  };
  const copy = (format: TableFormat): Promise<void> =>
    take(format, async (text) => {
      await navigator.clipboard.writeText(text);
      notify(t('evaluations.copied', { format: t(`evaluations.copy.${format}`) }));
    });
  const save = (): void =>
    void take('csv', (text) => saveText(fileName(t('evaluations.tab.matrix'), 'csv'), 'text/csv', text));
  const group = t('evaluations.group');
  const title = (format: TableFormat): string =>
    t('evaluations.copy.command', { format: t(`evaluations.copy.${format}`) });
  useCommand({
    id: 'evaluations.copy.markdown',
    title: title('markdown'),
    keys: null,
    group,
    run: () => void copy('markdown'),
  });
  useCommand({
    id: 'evaluations.copy.latex',
    title: title('latex'),
    keys: null,
    group,
    run: () => void copy('latex'),
  });
  useCommand({
    id: 'evaluations.copy.csv',
    title: title('csv'),
    keys: null,
    group,
    run: () => void copy('csv'),
  });
  return { isBusy, copy: (format) => void copy(format), save };
}

type RunMissingProps = {
  matrix: EvaluationMatrix;
  seed: number | null;
  limit: number | null;
  judge: string | null;
};

/**
 * Fills the holes of the table as its other figures were made: seed, limit, judge and protocols. Says first what that takes. Of a table of
 * both ways of asking, those of the weights alone come first.
 */
export function RunMissing({ matrix: all, seed, limit, judge }: RunMissingProps) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const isUnder = holes(columnsAsked(all, false)) === 0 && all.columns.some(({ withContext }) => withContext);
  const matrix = { ...all, ...columnsAsked(all, isUnder) };
  const context = isUnder ? 'run' : null;
  const missing = holes(matrix);
  const asked = matrix.columns.map(({ subject }) => subject);
  const request: EvaluationRequest = {
    subjects: asked,
    suites: suitesOf(matrix),
    seed: seed ?? matrix.seeds[0] ?? null,
    limit: limit ?? matrix.limits[0] ?? null,
    judge: judge ?? matrix.judges[0] ?? null,
    protocols: matrix.protocols,
    context,
  };
  // A request that is refused, as of a sample without weights, is no read that failed: the dialog says why.
  const estimate = useApiQuery(
    'evaluations.estimate',
    api.evaluations.estimate,
    {
      subjects: asked,
      suites: [...request.suites],
      seed: request.seed ?? 1,
      limit: request.limit,
      context,
      judge: request.judge ?? null,
      protocols: matrix.protocols,
      again: false,
    },
    { enabled: missing > 0 && request.suites.length > 0 },
  );
  const canRun = request.suites.length > 0 && missing > 0;
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
  const label =
    seconds === null
      ? t('evaluations.missing', { n: cells })
      : t('evaluations.missing.time', { n: cells, time: durationText(seconds) });
  return (
    <>
      <Button
        disabled={!canRun}
        title={estimate.error === null ? undefined : readableFailure(estimate.error).sentence}
        onClick={() => setOpen(true)}
      >
        {canRun ? label : t('evaluations.missing.none')}
      </Button>
      <EvaluationDialog
        isOpen={isOpen}
        request={request}
        onClose={() => setOpen(false)}
        onStarted={() => setOpen(false)}
      />
    </>
  );
}
