import { Button, Popover } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { SubjectChoice } from '../model/subjects.ts';
import { SubjectList } from './subject-list.tsx';

/** Which policies are asked, behind a button that says how many. */
export function SubjectPicker({
  subjects,
  shown,
  onColumns,
}: {
  subjects: readonly SubjectChoice[];
  shown: readonly string[];
  onColumns: (columns: string[]) => void;
}) {
  const t = useTranslate();
  return (
    <Popover position="top-end" withArrow trapFocus withinPortal>
      <Popover.Target>
        <Button variant="default" size="compact-sm">
          {t('evaluations.suites.subjects', { n: shown.length })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className="evaluations-picker">
          <SubjectList subjects={subjects} shown={shown} onColumns={onColumns} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
