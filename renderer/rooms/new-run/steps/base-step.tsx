import { type RunConfig, type TrainMethod, withMethod } from '../../../../electron/contract/index.ts';
import { type MessageId, useTranslate } from '../../../i18n/index.ts';
import { Radio, SimpleGrid, Text, Title, Quiet, type ModelChoice } from '../../../ui/index.ts';
import type { Fields } from '../model/fields.ts';
import { Field, ModelPicker } from '../parts/field.tsx';
import { MethodTable, type MethodTableProps } from '../parts/method-table.tsx';

type BaseStepProps = {
  fields: Fields;
  presets: readonly string[];
  /** The one the plan began with. */
  preset: string | null;
  onPreset: (name: string) => void;
  policies: readonly ModelChoice[];
  frameworks: readonly string[];
  onLibrary: () => void;
  isLocked: boolean;
};

/** 1. What the run begins with: a preset, a policy, a seed. */
export function BaseStep({
  fields,
  presets,
  preset,
  onPreset,
  policies,
  frameworks,
  onLibrary,
  isLocked,
}: BaseStepProps) {
  const t = useTranslate();
  return (
    <>
      <Title order={2}>{t('new-run.base.presets')}</Title>
      <Quiet mb="xs">
        {t('new-run.preset.replaces')} {t('new-run.import.drop')}
      </Quiet>
      <Radio.Group value={preset ?? ''} onChange={onPreset} aria-label={t('new-run.base.presets')} mb="lg">
        <SimpleGrid cols={2} spacing="xs">
          {presets.map((name) => (
            <Radio.Card key={name} value={name} disabled={isLocked} className="plan-preset" p="xs">
              <Text fw={600} size="sm">
                {t(`new-run.preset.${name}` as MessageId)}
              </Text>
              <Quiet size="xs">{t(`new-run.preset.${name}.text` as MessageId)}</Quiet>
            </Radio.Card>
          ))}
        </SimpleGrid>
      </Radio.Group>
      <div className="plan-fields">
        <Field path="name" fields={fields} />
        <Field path="seed" fields={fields} />
        <ModelPicker path="policy.model" models={policies} fields={fields} onLibrary={onLibrary} />
        <Field path="policy.promptPack" fields={fields} />
        <Field path="framework.name" fields={fields} offered={frameworks} />
      </div>
    </>
  );
}

/** Values of frameworks with a name of their own; each is shown where the chosen framework has it. */
const FRAMEWORK_FIELDS = [
  'framework.tasks',
  'framework.batchSize',
  'framework.taskTypes',
  'framework.estimateSamples',
] as const;

/** 2. How much is proposed, solved and learnt in a step. */
export function TrainingStep({
  fields,
  config,
  methods,
}: {
  fields: Fields;
  /** Null while a value is wrong. */
  config: RunConfig | null;
  methods: Pick<MethodTableProps, 'methods' | 'isAsking' | 'problem' | 'onAsk'>;
}) {
  const choose = (method: TrainMethod): void => {
    if (config === null) return;
    const { precision, optimizer, lora } = withMethod(config.train, method);
    fields.set('train.precision', precision);
    fields.set('train.optimizer', optimizer);
    fields.set('train.lora', lora);
  };
  return (
    <>
      <div className="plan-fields">
        <Field path="steps" fields={fields} />
        {FRAMEWORK_FIELDS.filter((path) => fields.leaf(path) !== undefined).map((path) => (
          <Field key={path} path={path} fields={fields} />
        ))}
        <Field path="generation.maxPromptTokens" fields={fields} />
        <Field path="generation.maxNewTokens" fields={fields} />
        <Field path="train.learningRate" fields={fields} />
        <Field path="train.entropyCoefficient" fields={fields} />
        <Field path="rewardedPrompts.share" fields={fields} />
      </div>
      {config !== null && (
        <MethodTable
          {...methods}
          chosen={config.train}
          isLocked={fields.isLocked('train.precision')}
          onChoose={choose}
        />
      )}
    </>
  );
}
