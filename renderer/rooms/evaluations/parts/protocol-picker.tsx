import type { SuiteChoice } from '../../../../electron/contract/index.ts';
import { NativeSelect, Stack, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

type ProtocolPickerProps = {
  suites: readonly SuiteChoice[];
  /** Protocol by suite; a suite's first one where absent. */ chosen: Readonly<Record<string, string>>;
  onChosen: (suite: string, protocol: string) => void;
};

/** How each suite puts its questions, for those that know several ways. Scores under different ones are different measurements. */
export function ProtocolPicker({ suites, chosen, onChosen }: ProtocolPickerProps) {
  const t = useTranslate();
  const several = suites.filter(({ protocols }) => protocols.length > 1);
  if (several.length === 0) return null;
  return (
    <Stack gap={4} role="group" aria-label={t('evaluations.order.protocols')}>
      <Text size="sm" fw={500}>
        {t('evaluations.order.protocols')}
      </Text>
      <div className="evaluations-protocols">
        {several.map(({ name, title, protocols }) => {
          const own = protocols.find((one) => one.name === chosen[name]) ?? protocols[0];
          return (
            <NativeSelect
              key={name}
              size="xs"
              label={title}
              description={own?.says}
              value={own?.name}
              data={protocols.map((one) => one.name)}
              onChange={(event) => onChosen(name, event.currentTarget.value)}
            />
          );
        })}
      </div>
    </Stack>
  );
}
