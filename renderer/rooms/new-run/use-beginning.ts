import { useEffect } from 'react';
import { api, notify, useApiQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { useDraft, type Only } from './model/draft.ts';
import type { Tree } from './model/tree.ts';

const FIRST_PRESET = 'demo';

type Asked = { from?: string; only?: Only; preset?: string };
type Preset = { name: string; config: Tree };

/**
 * Begins the draft as the address asks: like another run, or from a preset; without either it goes on with what is being written.
 * What was asked is then taken out of the address, so that a reload does not undo later changes.
 */
export function useBeginning(
  { from, only = null, preset }: Asked,
  presets: readonly Preset[] | undefined,
  onBegun: () => void,
): void {
  const t = useTranslate();
  const begin = useDraft((state) => state.begin);
  // Whether there is a draft, not which: beginning one must not be a reason to begin it again.
  const isEmpty = useDraft((state) => state.config === null);
  const run = useApiQuery(
    'runs.get',
    api.runs.get,
    { runId: from ?? '' },
    { enabled: from !== undefined, keep: false },
  );
  const asked = presets?.find(({ name }) => name === (preset ?? FIRST_PRESET));
  useEffect(() => {
    if (from !== undefined && run.data != null) {
      const { name } = run.data.config;
      begin(
        { kind: 'run', runId: from, name },
        run.data.config as Tree,
        only,
        t(only === 'gate' ? 'new-run.gateName' : 'new-run.copyName', { name }),
      );
      onBegun();
    } else if (from !== undefined && run.error !== null) {
      notify(t('new-run.origin.gone'), 'bad');
      onBegun();
    } else if (from === undefined && asked !== undefined && (preset !== undefined || isEmpty)) {
      begin({ kind: 'preset', name: asked.name }, asked.config);
      if (preset !== undefined) onBegun();
    }
  }, [from, only, preset, run.data, run.error, asked, isEmpty, begin, onBegun, t]);
}
