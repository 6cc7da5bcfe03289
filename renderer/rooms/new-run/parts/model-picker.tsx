import { Anchor, bytesText, NativeSelect, Text } from '../../../ui/index.ts';
import { useTranslate, type MessageId } from '../../../i18n/index.ts';
import type { Fields } from '../model/fields.ts';
import { FieldFrame } from './field-frame.tsx';

/** A model of the library, as far as choosing one needs it. */
export type ModelChoice = {
  name: string;
  parameters: number | null;
  contextLength: number | null;
  bytes: number;
  embedded: boolean;
};

/** A model picked from the library; one given by path stays what it is. */
export function ModelPicker({
  path,
  models,
  fields,
  onLibrary,
}: {
  path: 'policy.model' | 'supervision.model';
  models: readonly ModelChoice[];
  fields: Fields;
  onLibrary: () => void;
}) {
  const t = useTranslate();
  const value = String(fields.value(path) ?? '');
  const chosen = models.find(({ name }) => name === value);
  const name = t(`new-run.field.${path}`);
  const facts =
    chosen === undefined
      ? t('new-run.model.unknown')
      : [
          ...(chosen.parameters === null
            ? []
            : [t('new-run.model.parameters', { parameters: countText(chosen.parameters) })]),
          ...(chosen.contextLength === null
            ? []
            : [t('new-run.model.window', { window: chosen.contextLength })]),
          bytesText(chosen.bytes),
        ].join(', ');
  return (
    <FieldFrame path={path} name={name} fields={fields}>
      <NativeSelect
        size="sm"
        label={name}
        description={t(`param.${path}` as MessageId)}
        value={value}
        error={fields.issue(path)}
        disabled={fields.isLocked(path)}
        data={[...(chosen === undefined ? [value] : []), ...models.map((model) => model.name)]}
        onChange={(event) => fields.set(path, event.currentTarget.value)}
      />
      <Text size="xs" c="var(--quiet)" mt={2} className="numbers">
        {facts} ·{' '}
        <Anchor component="button" type="button" size="xs" onClick={onLibrary}>
          {t('new-run.model.import')}
        </Anchor>
      </Text>
    </FieldFrame>
  );
}

/** 1.2 M, 7.6 B: parameters as model names say them. */
function countText(count: number): string {
  const [value, unit] =
    count >= 1e9 ? [count / 1e9, 'B'] : count >= 1e6 ? [count / 1e6, 'M'] : [count / 1e3, 'k'];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
