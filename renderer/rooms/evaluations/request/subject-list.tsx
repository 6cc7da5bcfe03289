import { useState } from 'react';
import { useTranslate } from '../../../i18n/index.ts';
import { Checkbox, Text, TextInput, Button, Popover } from '../../../ui/index.ts';
import type { EvaluationSubject } from '../../../../electron/contract/index.ts';

/** A policy that can be a column, as the engine offers it. `base`: the weights a run began with; `kept`: its files are still there. */
export type SubjectChoice = EvaluationSubject & {
  runName: string | null;
  base: boolean;
  kept: boolean;
  sample: boolean;
  evaluations: number;
};

/** The policies of one run, or those of the library; `runId` is null for the library. */
type SubjectGroup = { runId: string | null; name: string; sample: boolean; subjects: SubjectChoice[] };

/** The library's apart from those of each run, and what was made again of a run with other weights apart from what it recorded. */
const subjectsByRun = (subjects: readonly SubjectChoice[]): SubjectChoice[][] => [
  ...Map.groupBy(subjects, ({ runId, runName }) => (runId === null ? '' : `${runId} ${runName}`)).values(),
];

/** By run, in the order the engine gives; what a person typed narrows the runs and models to those whose name holds it. */
export function subjectGroups(
  subjects: readonly SubjectChoice[],
  typed: string,
  libraryName: string,
): SubjectGroup[] {
  const needle = typed.trim().toLowerCase();
  return subjectsByRun(subjects).flatMap((own): SubjectGroup[] => {
    const runId = own[0]!.runId;
    const name = runId === null ? libraryName : (own[0]?.runName ?? runId);
    const found =
      needle === '' || name.toLowerCase().includes(needle)
        ? own
        : own.filter(({ label, model }) => `${label} ${model}`.toLowerCase().includes(needle));
    return found.length === 0 ? [] : [{ runId, name, sample: own[0]?.sample ?? false, subjects: found }];
  });
}

/** Models a table begins with where no run was evaluated: wider ones are a choice, not a surprise. */
const FIRST_COLUMNS = 6;

/** In the address, for a person who took every column away: without any word it shows those with figures. */
const NO_COLUMN = 'none';
export const columnsInAddress = (ids: readonly string[]): string =>
  ids.length === 0 ? NO_COLUMN : ids.join(',');

/** Runs whose ends a table begins with. */
const FIRST_RUNS = 2;

/**
 * The columns of the address. Without any, the ends of the two newest runs that were evaluated, of a single one its start as well; else
 * the models with figures. The engine lists the newest run first and a run's checkpoints by step.
 */
export function shownColumns(chosen: readonly string[], subjects: readonly SubjectChoice[]): string[] {
  if (chosen.length > 0) return chosen.filter((id) => id !== NO_COLUMN);
  const known = subjects.filter(({ evaluations }) => evaluations > 0);
  const runs = subjectsByRun(known.filter(({ runId }) => runId !== null)).slice(0, FIRST_RUNS);
  const ends = runs.flatMap((own) => (runs.length === 1 ? [own.at(0), own.at(-1)] : [own.at(-1)]));
  const shown = ends.length > 0 ? ends : known.slice(0, FIRST_COLUMNS);
  return [...new Set(shown.flatMap((one) => one?.id ?? []))];
}

/** A column more or less; the order is that of choosing. */
export const toggled = (columns: readonly string[], id: string): string[] =>
  columns.includes(id) ? columns.filter((other) => other !== id) : [...columns, id];

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
          key={`${group.runId} ${group.name}`}
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
      {sample && !subjects.some(({ kept }) => kept) && (
        <p className="evaluations-quiet evaluations-rail-how">{t('evaluations.columns.sample.how')}</p>
      )}
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
  subject: { kind, model, base, step, evaluations, kept, sample },
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
        <span className="evaluations-quiet">
          {t(sample ? 'evaluations.columns.notShipped' : 'evaluations.columns.gone')}
        </span>
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
    <Popover position="top-end" withArrow trapFocus returnFocus withinPortal>
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
