import { useState } from 'react';
import { useTranslate } from '../../../i18n/index.ts';
import { Checkbox, Text, TextInput, Button, Popover } from '../../../ui/index.ts';
import { subjectGroups, toggled, type SubjectChoice, type SubjectGroup } from './subjects.ts';

type SubjectListProps = {
  subjects: readonly SubjectChoice[];
  shown: readonly string[];
  onColumns: (columns: string[]) => void;
};

/** Choosing policies: the base and the checkpoints of every run, and the models of the library. */
export function SubjectList({ subjects, shown, onColumns }: SubjectListProps) {
  const t = useTranslate();
  const [typed, setTyped] = useState('');
  const groups = subjectGroups(subjects, typed, t('evaluations.columns.library'));
  return (
    <>
      <TextInput
        size="xs"
        type="search"
        aria-label={t('evaluations.columns.find')}
        placeholder={t('evaluations.columns.find')}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {groups.length === 0 && (
        <Text size="sm" c="var(--quiet)" mt="sm" role="status">
          {t('evaluations.columns.none')}
        </Text>
      )}
      {groups.map((group) => (
        <RailGroup
          key={group.runId ?? ''}
          group={group}
          shown={shown}
          isOpen={typed !== '' || groups.length < 4}
          onToggle={(id) => onColumns(toggled(shown, id))}
        />
      ))}
    </>
  );
}

function RailGroup({
  group: { name, sample, subjects },
  shown,
  isOpen,
  onToggle,
}: {
  group: SubjectGroup;
  shown: readonly string[];
  isOpen: boolean;
  onToggle: (id: string) => void;
}) {
  const t = useTranslate();
  const picked = subjects.filter(({ id }) => shown.includes(id)).length;
  return (
    <details className="evaluations-rail-group" open={isOpen || picked > 0}>
      <summary>
        <span className="evaluations-rail-name">
          {sample ? t('evaluations.columns.sample', { name }) : name}
        </span>
        <span className="numbers evaluations-quiet">
          {t('evaluations.columns.picked', { n: picked, of: subjects.length })}
        </span>
      </summary>
      {subjects.map((subject) => (
        <Checkbox
          key={subject.id}
          size="xs"
          checked={shown.includes(subject.id)}
          onChange={() => onToggle(subject.id)}
          label={<SubjectLabel subject={subject} />}
        />
      ))}
    </details>
  );
}

/** A model of the library, the base of a run or one of its checkpoints, with how often it was evaluated. */
function SubjectLabel({
  subject: { kind, model, base, step, evaluations, kept },
}: {
  subject: SubjectChoice;
}) {
  const t = useTranslate();
  const ofRun = base ? t('evaluations.columns.base') : t('evaluations.columns.step', { step: step ?? 0 });
  return (
    <>
      {kind === 'model' ? model : ofRun}{' '}
      {kept ? (
        <span
          className="evaluations-quiet numbers"
          title={t('evaluations.columns.count', { n: evaluations })}
        >
          · {evaluations}
        </span>
      ) : (
        <span className="evaluations-quiet">{t('evaluations.columns.gone')}</span>
      )}
    </>
  );
}

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
