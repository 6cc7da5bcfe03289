import { useReport } from '../../../data/index.ts';
import { ReportButton, saveText } from '../../../ui/index.ts';

/** The selected run as one page to take along. */
export function RunReport({ runId }: { runId: string }) {
  const { job, make, cancel } = useReport(({ name, html }) => saveText(name, 'text/html', html));
  return (
    <ReportButton
      job={job}
      size="compact-sm"
      onMake={() => make({ kind: 'runs', runIds: [runId] })}
      onCancel={cancel}
    />
  );
}
