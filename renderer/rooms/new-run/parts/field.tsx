import type { ReactNode } from 'react';
import { type MessageId, useTranslate } from '../../../i18n/index.ts';
import { ActionIcon, type ModelChoice, ModelSelect, Text, Tooltip } from '../../../ui/index.ts';
import { type Fields, shownValue } from '../model/fields.ts';
import { LeafControl, optionWord } from './leaf-control.tsx';

/** Paths that have a name of their own on the steps of the plan. */
type NamedPath = MessageId extends infer Id
  ? Id extends `new-run.field.${infer Path}`
    ? Path
    : never
  : never;

/** One named value of the plan, with what it means, whether it was changed, and what is wrong with it. */
export function Field({
  path,
  fields,
  offered,
  absent,
}: {
  path: NamedPath;
  fields: Fields;
  offered?: readonly string[];
  /** The option that a choice stands for where a configuration leaves it out; choosing it leaves it out again. */
  absent?: string;
}) {
  const t = useTranslate();
  const leaf = fields.leaf(path);
  if (leaf === undefined) throw new RangeError(`This plan has no value ${path}.`);
  const name = t(`new-run.field.${path}`);
  return (
    <FieldFrame path={path} name={name} fields={fields} absent={absent}>
      <LeafControl
        leaf={leaf}
        label={name}
        description={t(`param.${path}` as MessageId)}
        value={fields.value(path) ?? absent}
        issue={fields.issue(path)}
        disabled={fields.isLocked(path)}
        offered={offered}
        size="sm"
        onValue={(value) =>
          fields.set(path, value === absent && fields.base(path) === undefined ? undefined : value)
        }
      />
    </FieldFrame>
  );
}

/** What stands around every field: whether it was changed from what the plan began with, and the way back. */
export function FieldFrame({
  path,
  name,
  fields,
  absent,
  children,
}: {
  path: string;
  name: string;
  fields: Fields;
  absent?: string;
  children: ReactNode;
}) {
  const t = useTranslate();
  const changed = fields.isChanged(path);
  const base = fields.base(path) ?? absent;
  const before =
    fields.leaf(path)?.kind === 'choice' && typeof base === 'string'
      ? optionWord(t, path, base)
      : shownValue(base, t('new-run.parameter.none'));
  return (
    <div className="plan-field" data-changed={changed}>
      {children}
      {changed && (
        <Text size="xs" component="div" className="plan-changed">
          <span aria-hidden>● </span>
          {t('new-run.parameter.changed', { value: before })}
          {!fields.isLocked(path) && (
            <Tooltip label={t('new-run.parameter.reset', { name, value: before })}>
              <ActionIcon
                size="xs"
                variant="subtle"
                aria-label={t('new-run.parameter.reset', { name, value: before })}
                onClick={() => fields.reset(path)}
              >
                ↺
              </ActionIcon>
            </Tooltip>
          )}
        </Text>
      )}
    </div>
  );
}

/** A model picked from the library; one given by path stays what it is. */
export function ModelPicker({
  path,
  models,
  fields,
  none,
  onLibrary,
}: {
  path: 'policy.model' | 'supervision.model' | 'evaluation.judge';
  models: readonly ModelChoice[];
  fields: Fields;
  /** What no model is called, where a run can do without one. */
  none?: string;
  onLibrary: () => void;
}) {
  const t = useTranslate();
  const value = String(fields.value(path) ?? '');
  const name = t(`new-run.field.${path}`);
  return (
    <FieldFrame path={path} name={name} fields={fields}>
      <ModelSelect
        label={name}
        description={t(`param.${path}` as MessageId)}
        models={models}
        value={value}
        none={none}
        unknown={
          path === 'policy.model' && value.toLowerCase().endsWith('.gguf')
            ? t('new-run.model.gguf')
            : undefined
        }
        error={fields.issue(path)}
        disabled={fields.isLocked(path)}
        onChange={(model) => fields.set(path, model === '' ? undefined : model)}
        onLibrary={onLibrary}
      />
    </FieldFrame>
  );
}
