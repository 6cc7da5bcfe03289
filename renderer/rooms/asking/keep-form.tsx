import { useState } from 'react';
import type { AskedFrame, Expectation } from '../../../electron/contract/index.ts';
import { api, useApiMutation } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import {
  Anchor,
  Button,
  NativeSelect,
  Popover,
  Stack,
  Text,
  TextInput,
  useRoomNavigate,
} from '../../ui/index.ts';

const EXPECTED = ['refuse', 'comply', 'contain'] as const;

/** Makes the question an item of a set of the person's own, with what is expected of its answer. */
export function KeepForm({ question, frame }: { question: string; frame: AskedFrame }) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const [kind, setKind] = useState<Expectation['kind']>('refuse');
  const [text, setText] = useState('');
  const [set, setSet] = useState(t('asking.keep.set.first'));
  const [problem, setProblem] = useState<string | null>(null);
  const keep = useApiMutation(api.asking.addToSuite, {
    invalidates: ['datasets', 'evaluations'],
    onFailure: setProblem,
  });
  const isWhole = set.trim() !== '' && (kind !== 'contain' || text.trim() !== '');
  return (
    <Popover
      position="top-end"
      withArrow
      trapFocus
      returnFocus
      withinPortal
      onOpen={() => (setProblem(null), keep.reset())}
    >
      <Popover.Target>
        <Button variant="default" size="compact-sm">
          {t('asking.keep')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" w={280}>
          <NativeSelect
            label={t('asking.keep.expect')}
            value={kind}
            data={EXPECTED.map((value) => ({ value, label: t(`asking.keep.${value}`) }))}
            onChange={(event) => setKind(event.currentTarget.value as Expectation['kind'])}
          />
          {kind === 'contain' && (
            <TextInput
              label={t('asking.keep.text')}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          <TextInput
            label={t('asking.keep.set')}
            value={set}
            onChange={(event) => setSet(event.currentTarget.value)}
          />
          {problem !== null && (
            <Text size="sm" c="var(--bad)" role="alert">
              {problem}
            </Text>
          )}
          {keep.data === undefined ? (
            <Button
              disabled={!isWhole}
              loading={keep.isPending}
              onClick={() => {
                setProblem(null);
                const expect: Expectation = kind === 'contain' ? { kind, text: text.trim() } : { kind };
                keep.mutate({ question, frame, expect, set: set.trim() });
              }}
            >
              {t('asking.keep.add')}
            </Button>
          ) : (
            <Text size="sm" role="status">
              {t('asking.keep.added', { set: keep.data.name, n: keep.data.rows })}{' '}
              <Anchor
                component="button"
                type="button"
                size="sm"
                onClick={() => navigate('/evaluations', {}, { tab: 'suites', suite: 'own-questions' })}
              >
                {t('asking.keep.suite')}
              </Anchor>
            </Text>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
