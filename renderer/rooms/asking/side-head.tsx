import { ASKED_FRAMES, type AskedFrame } from '../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { Button, NativeSelect, QueryState, Select, Text, Textarea, visibleString } from '../../ui/index.ts';
import { frameOf, type SideSetting, type Subject } from './model.ts';

type SideHeadProps = {
  name: string;
  subjects: readonly Subject[];
  subject: string;
  setting: SideSetting;
  /** How its loading stands: one sentence where it cannot be asked. */
  ready: 'loading' | 'ready' | string;
  onSubject: (id: string) => void;
  onSetting: (setting: SideSetting) => void;
  onRemove: (() => void) | null;
};

/** Who is asked on this side, as whom it is spoken to, and what stands in its prompt. */
export function SideHead({
  name,
  subjects,
  subject,
  setting,
  ready,
  onSubject,
  onSetting,
  onRemove,
}: SideHeadProps) {
  const t = useTranslate();
  const frame = frameOf(subject, setting);
  const isCheckpoint = subject.includes('@');
  const context = useApiQuery(
    'asking.context',
    api.asking.context,
    { subject },
    { enabled: isCheckpoint, keep: false },
  );
  const groups = Map.groupBy(subjects, ({ runName }) => runName ?? t('asking.library'));
  const data = [...groups].map(([group, own]) => ({
    group: visibleString(group),
    items: own.map(({ id, kind, label, base, step, kept }) => ({
      value: id,
      label: visibleString(
        kind === 'model'
          ? label
          : `${group}, ${base ? t('asking.base') : t('asking.step', { step: step ?? 0 })}`,
      ),
      disabled: !kept,
    })),
  }));
  // An address may name somebody who is not there any more.
  const isKnown = subjects.some(({ id }) => id === subject);
  const gone = {
    group: t('asking.unknown'),
    items: [{ value: subject, label: visibleString(subject), disabled: true }],
  };
  const isReady = ready === 'ready' || ready === 'loading';
  return (
    <section className="asking-head" aria-label={name}>
      <div className="asking-row">
        <Select
          key={subject}
          aria-label={t('asking.subject', { side: name })}
          data={isKnown ? data : [...data, gone]}
          value={subject}
          searchable
          allowDeselect={false}
          nothingFoundMessage={t('asking.subject.none')}
          onChange={(value) => value !== null && onSubject(value)}
          className="asking-subject"
          size="sm"
        />
        <NativeSelect
          aria-label={t('asking.context', { side: name })}
          size="sm"
          value={setting.from}
          data={[
            { value: 'none', label: t('asking.context.none') },
            { value: 'run', label: t('asking.context.run'), disabled: !isCheckpoint },
            { value: 'lines', label: t('asking.context.lines') },
          ]}
          onChange={({ currentTarget: { value } }) =>
            onSetting({
              ...setting,
              from: value as SideSetting['from'],
              // What is edited begins as what the run had.
              lines:
                value === 'lines' && setting.lines === ''
                  ? (context.data?.lines.join('\n') ?? '')
                  : setting.lines,
            })
          }
        />
        <NativeSelect
          aria-label={t('asking.frame', { side: name })}
          size="sm"
          value={frame}
          data={ASKED_FRAMES.map((value) => ({ value, label: t(`asking.frame.${value}`) }))}
          onChange={({ currentTarget: { value } }) => onSetting({ ...setting, frame: value as AskedFrame })}
        />
        {onRemove !== null && (
          <Button variant="default" size="sm" onClick={onRemove}>
            {t('asking.one')}
          </Button>
        )}
      </div>
      <Text
        size={isReady ? 'xs' : 'sm'}
        c={isReady ? 'var(--quiet)' : 'var(--bad)'}
        role={isReady ? 'status' : 'alert'}
      >
        {isReady ? t(`asking.ready.${ready as 'loading' | 'ready'}`) : ready}
      </Text>
      {setting.from === 'run' && isCheckpoint && (
        <QueryState read={context} problemOf={readableFailure}>
          {(found) => (
            <details className="asking-fold">
              <summary>
                {found === null
                  ? t('asking.context.notYet')
                  : t('asking.context.has', { n: found.lines.length, step: found.step })}
              </summary>
              <ul className="asking-lines">
                {found?.lines.map((line, index) => (
                  <li key={index}>{visibleString(line)}</li>
                ))}
              </ul>
            </details>
          )}
        </QueryState>
      )}
      {setting.from === 'lines' && (
        <Textarea
          label={t('asking.lines')}
          description={t('asking.lines.how')}
          autosize
          minRows={2}
          maxRows={8}
          size="sm"
          value={setting.lines}
          error={setting.lines.trim() === '' ? t('asking.lines.none') : undefined}
          onChange={(event) => onSetting({ ...setting, lines: event.currentTarget.value })}
        />
      )}
    </section>
  );
}
