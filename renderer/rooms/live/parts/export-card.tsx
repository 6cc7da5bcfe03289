import type { RunRecord } from '../../../../electron/contract/index.ts';
import { api, useSideQuery, useRunExport } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Group, Quiet, RunExportButton, Stack } from '../../../ui/index.ts';

/** The run as files to take along; the recorded sample's runs are not exported. */
export function ExportCard({ run }: { run: RunRecord }) {
  const t = useTranslate();
  const sample = useSideQuery('runs.sample', api.runs.sample, undefined);
  const exporting = useRunExport(run);
  if (sample.data?.every(({ id }) => id !== run.id) !== true) return null;
  return (
    <section className="live-card" aria-label={t('runExport.card')}>
      <h2>{t('runExport.card')}</h2>
      <Stack gap={8}>
        <Quiet>{t('runExport.text')}</Quiet>
        <Group>
          <RunExportButton run={run} {...exporting} />
        </Group>
      </Stack>
    </section>
  );
}
