import { useEffect } from 'react';
import type { Preferences } from '../../../electron/contract/index.ts';
import { api, readableFailure, useApiMutation, useApiQuery, useSideQuery } from '../../data/index.ts';
import {
  Group,
  Radio,
  QueryState,
  Stack,
  Text,
  Title,
  useMantineColorScheme,
  Quiet,
} from '../../ui/index.ts';
import { useTranslate, type MessageId } from '../../i18n/index.ts';
import './settings.css';

/** How the window looks; kept in the lab. */
export function AppearanceSection() {
  const preferences = useApiQuery('lab.preferences', api.lab.preferences, undefined);
  const keep = useApiMutation(api.lab.setPreferences, { invalidates: ['lab.preferences'] });
  return (
    <QueryState read={preferences} problemOf={readableFailure}>
      {(found) => <AppearanceView preferences={found} onChange={(part) => keep.mutate(part)} />}
    </QueryState>
  );
}

export function AppearanceView({
  preferences,
  onChange,
}: {
  preferences: Preferences;
  onChange: (part: Partial<Preferences>) => void;
}) {
  const t = useTranslate();
  return (
    <Stack gap="lg">
      <Choice
        headingId="settings.appearance.theme"
        value={preferences.theme}
        values={['auto', 'light', 'dark']}
        word={(value) => `settings.appearance.theme.${value}`}
        onChange={(theme) => onChange({ theme })}
      />
      <Choice
        headingId="settings.appearance.text"
        value={preferences.textSize}
        values={['normal', 'large', 'larger', 'largest']}
        word={(value) => `settings.appearance.text.${value}`}
        onChange={(textSize) => onChange({ textSize })}
      />
      <Choice
        headingId="settings.appearance.motion"
        value={preferences.motion}
        values={['system', 'reduced']}
        word={(value) => `settings.appearance.motion.${value}`}
        onChange={(motion) => onChange({ motion })}
      />
      <Choice
        headingId="settings.appearance.marks"
        value={preferences.marks}
        values={['normal', 'strong']}
        word={(value) => `settings.appearance.marks.${value}`}
        onChange={(marks) => onChange({ marks })}
      />
      <Choice
        headingId="settings.appearance.language"
        value={preferences.language}
        values={['en']}
        word={(value) => `settings.appearance.language.${value}`}
        onChange={(language) => onChange({ language })}
      />
      <Quiet>{t('settings.appearance.language.text')}</Quiet>
      <Quiet>{t('settings.appearance.kept')}</Quiet>
      <Stack gap={4}>
        <Title order={2}>{t('settings.appearance.access')}</Title>
        <Text size="sm">{t('settings.appearance.access.text')}</Text>
      </Stack>
    </Stack>
  );
}

type ChoiceProps<V extends string> = {
  headingId: MessageId;
  value: V;
  values: readonly V[];
  word: (value: V) => MessageId;
  onChange: (value: V) => void;
};

function Choice<V extends string>({ headingId, value, values, word, onChange }: ChoiceProps<V>) {
  const t = useTranslate();
  return (
    <Radio.Group label={t(headingId)} value={value} onChange={(chosen) => onChange(chosen as V)}>
      <Group mt={6} gap="lg">
        {values.map((each) => (
          <Radio key={each} value={each} label={t(word(each))} />
        ))}
      </Group>
    </Radio.Group>
  );
}

/** Larger text scales everything, as the zoom of a browser does. */
const ZOOM = { normal: '', large: '1.12', larger: '1.25', largest: '1.5' } as const;

/** Puts the lab's preferences on the window; the frame holds it once. */
export function ApplyPreferences() {
  const { data } = useSideQuery('lab.preferences', api.lab.preferences, undefined);
  const { setColorScheme } = useMantineColorScheme();
  const { theme, textSize, motion, marks } = data ?? {};
  useEffect(() => {
    if (theme !== undefined) setColorScheme(theme);
  }, [theme, setColorScheme]);
  useEffect(() => {
    const { style, dataset } = document.documentElement;
    style.setProperty('--text-zoom', textSize === undefined ? '' : ZOOM[textSize]);
    dataset['textSize'] = textSize ?? 'normal';
    dataset['motion'] = motion ?? 'system';
    dataset['marks'] = marks ?? 'normal';
  }, [textSize, motion, marks]);
  return null;
}
