import type { Job } from '../../electron/contract/index.ts';
import { useTranslate } from '../i18n/index.ts';
import { JobLine } from './job-line.tsx';
import { Button } from './mantine.ts';

type ReportButtonProps = {
  /** The report that is being made, or the one that could not be. */
  job: Job | null;
  size?: string;
  onMake: () => void;
  onCancel: () => void;
};

/** Has what is shown written as one page that needs nothing else; while it is being made, how far it is and a way to stop it. */
export function ReportButton({ job, size = 'sm', onMake, onCancel }: ReportButtonProps) {
  const t = useTranslate();
  return (
    <>
      {job?.state === 'running' ? (
        <JobLine job={job} onCancel={onCancel} />
      ) : (
        <Button variant="default" size={size} title={t('common.report.text')} onClick={onMake}>
          {t('common.report')}
        </Button>
      )}
      {job?.state === 'failed' && <JobLine job={job} onCancel={onCancel} />}
    </>
  );
}
