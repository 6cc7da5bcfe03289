import { answerKind } from '../../../../electron/contract/index.ts';
import { Anchor, TextBlock } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { FullRecord, Task } from '../model/types.ts';

/** The task: as proposed, or as it was given to the solver, and the way to the record that proposed it. */
export function TaskBlock({ record, onRecord }: { record: FullRecord; onRecord: (id: string) => void }) {
  const t = useTranslate();
  const { rollout, task } = record;
  if (rollout.purpose === 'propose') {
    return rollout.answer === null ? (
      <p className="records-quiet">{t('records.pair.noAnswer')}</p>
    ) : (
      <TextBlock text={rollout.answer} look="code" label={t('records.pair.task')} />
    );
  }
  if (task === null) return <p className="records-quiet">{t('records.pair.task.gone')}</p>;
  return (
    <>
      <GivenTask task={task} />
      {task.rolloutId !== null && task.rolloutId !== rollout.id && (
        <Anchor component="button" type="button" size="sm" onClick={() => onRecord(task.rolloutId ?? '')}>
          {t('records.pair.task.origin')}
        </Anchor>
      )}
    </>
  );
}

/** What of a task the solver has to go by; what it has to find is named as such. */
function GivenTask({ task }: { task: Task }) {
  const t = useTranslate();
  const asks = answerKind(task.taskType);
  const [input, output] = [task.inputs[0], task.outputs[0]];
  const pairs = task.inputs.map((each, index) => `f(${each}) = ${task.outputs[index] ?? ''}`).join('\n');
  const part = (title: string, text: string, look: 'prose' | 'code' = 'code') => (
    <div className="records-part-of-task">
      <h4>{title}</h4>
      <TextBlock text={text} look={look} label={title} />
    </div>
  );
  return (
    <>
      {task.message !== null && part(t('records.pair.task.message'), task.message, 'prose')}
      {asks === 'program' && part(t('records.pair.task.pairs'), pairs)}
      {task.program !== '' &&
        part(t(asks === 'program' ? 'records.pair.task.hidden' : 'records.pair.task.program'), task.program)}
      {(asks === 'output' || asks === 'name') &&
        input !== undefined &&
        part(t('records.pair.task.input'), input)}
      {asks === 'input' && output !== undefined && part(t('records.pair.task.output'), output)}
    </>
  );
}
