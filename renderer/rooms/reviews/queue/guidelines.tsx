import { useTranslate, type MessageId } from '../../../i18n/index.ts';
import {
  Drawer,
  Kbd,
  Table,
  Text,
  Title,
  SegmentedControl,
  useRoomNavigate,
  Quiet,
} from '../../../ui/index.ts';
import type { QueueKey } from './decision-bar.tsx';

const LIVE: readonly MessageId[] = [
  'reviews.guide.live.1',
  'reviews.guide.live.2',
  'reviews.guide.live.3',
  'reviews.guide.live.4',
  'reviews.guide.live.5',
];
const AUDIT: readonly MessageId[] = [
  'reviews.guide.audit.1',
  'reviews.guide.audit.2',
  'reviews.guide.audit.3',
  'reviews.guide.audit.4',
  'reviews.guide.audit.5',
  'reviews.guide.audit.6',
];

/** What to go by, beside the work. */
export function Guidelines({
  purpose,
  keys,
  opened,
  onClose,
}: {
  purpose: 'live' | 'audit';
  keys: readonly QueueKey[];
  opened: boolean;
  onClose: () => void;
}) {
  const t = useTranslate();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size="md"
      title={t('reviews.guide.title')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <ol>
        {(purpose === 'live' ? LIVE : AUDIT).map((word) => (
          <li key={word}>
            <Text size="sm" mb="xs">
              {t(word)}
            </Text>
          </li>
        ))}
      </ol>
      {purpose === 'live' && <Quiet mb="md">{t('reviews.live.repeat')}</Quiet>}
      <Title order={3} mb="xs">
        {t('reviews.guide.keys')}
      </Title>
      <Table verticalSpacing={4}>
        <Table.Tbody>
          {keys.map(({ key, word }) => (
            <Table.Tr key={key}>
              <Table.Td>{t(word)}</Table.Td>
              <Table.Td ta="end">
                <Kbd>{key}</Kbd>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Drawer>
  );
}

const PATHS = { live: '/reviews', audits: '/reviews/audits' } as const;
type Purpose = keyof typeof PATHS;

/** What a person is here for. */
export function PurposePicker({ purpose }: { purpose: Purpose }) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('reviews.purpose')}
      value={purpose}
      onChange={(value) => navigate(PATHS[value as Purpose])}
      data={[
        { value: 'live', label: t('reviews.purpose.live') },
        { value: 'audits', label: t('reviews.purpose.audits') },
      ]}
    />
  );
}
