import { Checkbox, Stack, Text, TextInput } from '../../../ui/index.ts';
import type { DatasetTerms } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

type TermsFormProps = {
  terms: DatasetTerms;
  isAgreed: boolean;
  onAgree: (isAgreed: boolean) => void;
  who: string;
  onWho: (who: string) => void;
};

/** What has to be agreed to before a set is used; who agreed is kept with the words. */
export function TermsForm({ terms: { kind, statement }, isAgreed, onAgree, who, onWho }: TermsFormProps) {
  const t = useTranslate();
  return (
    <Stack gap={6} className="evaluations-terms">
      <Text size="sm" fw={600}>
        {t(`evaluations.terms.${kind}`)}
      </Text>
      <Checkbox
        size="sm"
        label={statement}
        checked={isAgreed}
        onChange={(event) => onAgree(event.currentTarget.checked)}
      />
      <TextInput
        w={240}
        size="xs"
        label={t('evaluations.override.who')}
        description={t('evaluations.terms.who')}
        maxLength={200}
        value={who}
        onChange={(event) => onWho(event.currentTarget.value)}
      />
    </Stack>
  );
}
