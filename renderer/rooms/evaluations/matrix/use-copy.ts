import { useState } from 'react';
import type { MatrixRequest } from '../../../../electron/contract/index.ts';
import { useCommand } from '../../../commands/index.ts';
import { api, notify, notifyFailure, readableFailure } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { TableFormat } from './copy-table.tsx';

/** Puts the table on the clipboard, by button or from the palette. */
export function useCopy(request: MatrixRequest): { isBusy: boolean; copy: (format: TableFormat) => void } {
  const t = useTranslate();
  const [isBusy, setBusy] = useState(false);
  const copy = async (format: TableFormat): Promise<void> => {
    setBusy(true);
    try {
      const { text } = await api.evaluations.exportMatrix.query({ request, format });
      await navigator.clipboard.writeText(text);
      notify(t('evaluations.copied', { format: t(`evaluations.copy.${format}`) }));
    } catch (error) {
      notifyFailure(readableFailure(error).sentence);
    } finally {
      setBusy(false);
    }
  };
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
  return { isBusy, copy: (format) => void copy(format) };
}
