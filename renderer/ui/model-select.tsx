import type { ReactNode } from 'react';
import { useTranslate, visibleString } from '../i18n/index.ts';
import { Anchor, NativeSelect } from './mantine.ts';
import { bytesText, parametersText, Quiet } from './values.tsx';

/** A model of the library as a list offers it. */
export type ModelChoice = {
  name: string;
  parameters: number | null;
  contextLength: number | null;
  bytes: number;
};

type ModelSelectProps = {
  label: string;
  description?: string;
  models: readonly ModelChoice[];
  /** A name of the library, or the path of a model that is not in it. */
  value: string;
  /** What no model is called, where one can do without; it is the empty value. */
  none?: string | undefined;
  /** What is said of a model that is not in the library, where that is more than usual. */
  unknown?: string | undefined;
  error?: ReactNode;
  disabled?: boolean;
  onChange: (value: string) => void;
  onLibrary: () => void;
};

/** A model of the library by name, with its size and window below, and the way to bring another one. */
export function ModelSelect({
  models,
  value,
  none,
  unknown,
  onChange,
  onLibrary,
  ...field
}: ModelSelectProps) {
  const t = useTranslate();
  const chosen = models.find(({ name }) => name === value);
  const isNone = none !== undefined && value === '';
  const facts =
    chosen === undefined
      ? (unknown ?? t('common.model.unknown'))
      : [
          ...(chosen.parameters === null
            ? []
            : [t('common.model.parameters', { parameters: parametersText(chosen.parameters) })]),
          ...(chosen.contextLength === null
            ? []
            : [t('common.model.window', { window: chosen.contextLength })]),
          bytesText(chosen.bytes),
        ].join(', ');
  return (
    <>
      <NativeSelect
        size="sm"
        {...field}
        value={value}
        data={[
          ...(none === undefined ? [] : [{ value: '', label: none }]),
          ...[...(chosen === undefined && !isNone ? [value] : []), ...models.map(({ name }) => name)].map(
            (name) => ({ value: name, label: visibleString(name) }),
          ),
        ]}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Quiet size="xs" mt={2} className="numbers">
        {!isNone && `${facts} · `}
        <Anchor component="button" type="button" size="xs" onClick={onLibrary}>
          {t('common.model.import')}
        </Anchor>
      </Quiet>
    </>
  );
}
