import { Field } from '../parts/field.tsx';
import type { Fields } from '../model/fields.ts';

/** 2. How much is proposed, solved and learnt in a step. */
export function TrainingStep({ fields }: { fields: Fields }) {
  return (
    <div className="plan-fields">
      <Field path="steps" fields={fields} />
      <Field path="azr.batchSize" fields={fields} />
      <Field path="azr.taskTypes" fields={fields} />
      <Field path="azr.estimateSamples" fields={fields} />
      <Field path="azr.maxPromptTokens" fields={fields} />
      <Field path="azr.maxNewTokens" fields={fields} />
      <Field path="train.learningRate" fields={fields} />
      <Field path="train.entropyCoefficient" fields={fields} />
      <Field path="pressure.share" fields={fields} />
    </div>
  );
}
