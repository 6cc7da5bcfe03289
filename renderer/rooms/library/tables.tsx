import {
  Anchor,
  Bytes,
  Num,
  parametersText,
  Quiet,
  Table,
  Text,
  Title,
  When,
  visibleString,
} from '../../ui/index.ts';
import { useTranslate, type Translate } from '../../i18n/index.ts';
import type { LibraryModel, LibraryDataset } from './model.ts';

/** Test sets lie in the lab as well; they are looked at, agreed to and removed where evaluations are. */
export function TestSets({
  sets,
  onOpen,
}: {
  sets: readonly { name: string; title: string; rows: number; bytes: number; addedAt: string }[];
  onOpen: (name: string) => void;
}) {
  const t = useTranslate();
  if (sets.length === 0) return null;
  return (
    <section>
      <Title order={2} mt="lg" mb={4}>
        {t('library.testSets')}
      </Title>
      <Quiet mb={6}>{t('library.testSets.text')}</Quiet>
      <Table className="library-table" aria-label={t('library.testSets')} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('library.column.name')}</Table.Th>
            <Table.Th ta="end">{t('library.column.rows')}</Table.Th>
            <Table.Th ta="end">{t('library.column.size')}</Table.Th>
            <Table.Th>{t('library.column.added')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sets.map(({ name, title, rows, bytes, addedAt }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Anchor component="button" type="button" fw={600} onClick={() => onOpen(name)}>
                  {visibleString(name)}
                </Anchor>
                <Quiet size="xs">{title}</Quiet>
              </Table.Td>
              <Table.Td ta="end">
                <Num value={rows} />
              </Table.Td>
              <Table.Td ta="end">
                <Bytes value={bytes} />
              </Table.Td>
              <Table.Td>
                <When iso={addedAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

const FIT_COLORS = {
  fits: 'var(--good)',
  tight: 'var(--warn)',
  'too-large': 'var(--bad)',
  unknown: 'var(--quiet)',
} as const;

/** Where training every parameter is too much and an adapter is not, how that fits. */
function FitCell({ fit }: Pick<LibraryModel, 'fit'>) {
  const t = useTranslate();
  return (
    <Table.Td style={{ color: FIT_COLORS[fit.lora?.verdict ?? fit.verdict] }}>
      {fit.lora === null ? t(`library.fit.${fit.verdict}`) : t(`library.fit.lora.${fit.lora.verdict}`)}
    </Table.Td>
  );
}

/** Models, one a row; a row is chosen by its name. */
export function ModelsTable({
  models,
  selected,
  onSelect,
}: {
  models: readonly LibraryModel[];
  selected: string | null;
  onSelect: (name: string) => void;
}) {
  const t = useTranslate();
  return (
    <Table className="library-table" aria-label={t('library.models')} verticalSpacing={6} highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('library.column.name')}</Table.Th>
          <Table.Th ta="end">{t('library.column.parameters')}</Table.Th>
          <Table.Th ta="end">{t('library.column.context')}</Table.Th>
          <Table.Th ta="end">{t('library.column.size')}</Table.Th>
          <Table.Th>{t('library.column.fits')}</Table.Th>
          <Table.Th ta="end">{t('library.column.speed')}</Table.Th>
          <Table.Th>{t('library.column.usedBy')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {models.map((model) => (
          <Table.Tr key={model.name} className="library-row" data-selected={model.name === selected}>
            <Table.Td>
              <button
                type="button"
                className="library-name"
                aria-pressed={model.name === selected}
                onClick={() => onSelect(model.name)}
              >
                {visibleString(model.name)}
              </button>
              <Text size="xs" c={model.present ? 'var(--quiet)' : 'var(--bad)'}>
                {t('library.useAndWhere', { use: t(`library.use.${model.kind}`), where: t(whereOf(model)) })}
              </Text>
            </Table.Td>
            <Table.Td ta="end" className="numbers">
              {parametersText(model.parameters)}
            </Table.Td>
            <Table.Td ta="end">
              <Num value={model.contextLength} />
            </Table.Td>
            <Table.Td ta="end">
              <Bytes value={model.bytes} />
            </Table.Td>
            <FitCell fit={model.fit} />
            <Table.Td ta="end" className="numbers">
              {model.probe === null
                ? t('library.probe.none')
                : t('library.probe.rate', { rate: model.probe.tokensPerSecond.toFixed(0) })}
            </Table.Td>
            <Table.Td>
              {model.usedBy.length === 0
                ? t('library.usedBy.none')
                : t('library.usedBy.runs', { n: model.usedBy.length })}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function whereOf({ present, embedded, copied }: LibraryModel) {
  if (!present) return 'library.missing';
  return embedded ? 'library.embedded' : copied ? 'library.copied' : 'library.linked';
}

/** What the items of a data set are, in words. */
export function kindText(t: Translate, kind: string): string {
  return kind === 'tasks' || kind === 'pressure'
    ? t(`library.kind.${kind}`)
    : t('library.kind.suite', { suite: kind });
}

/** Data sets, one a row; a row is chosen by its name. */
export function DatasetsTable({
  datasets,
  selected,
  onSelect,
}: {
  datasets: readonly LibraryDataset[];
  selected: string | null;
  onSelect: (name: string) => void;
}) {
  const t = useTranslate();
  return (
    <Table className="library-table" aria-label={t('library.datasets')} verticalSpacing={6} highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('library.column.name')}</Table.Th>
          <Table.Th>{t('library.column.kind')}</Table.Th>
          <Table.Th ta="end">{t('library.column.rows')}</Table.Th>
          <Table.Th ta="end">{t('library.column.size')}</Table.Th>
          <Table.Th>{t('library.column.added')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {datasets.map((dataset) => (
          <Table.Tr key={dataset.name} className="library-row" data-selected={dataset.name === selected}>
            <Table.Td>
              <button
                type="button"
                className="library-name"
                aria-pressed={dataset.name === selected}
                onClick={() => onSelect(dataset.name)}
              >
                {visibleString(dataset.name)}
              </button>
              <Text size="xs" c={dataset.present ? 'var(--quiet)' : 'var(--bad)'}>
                {t(
                  dataset.present
                    ? dataset.copied
                      ? 'library.copied'
                      : 'library.linked'
                    : 'library.missing',
                )}
              </Text>
            </Table.Td>
            <Table.Td>{kindText(t, dataset.kind)}</Table.Td>
            <Table.Td ta="end">
              <Num value={dataset.rows} />
            </Table.Td>
            <Table.Td ta="end">
              <Bytes value={dataset.bytes} />
            </Table.Td>
            <Table.Td>
              <When iso={dataset.addedAt} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
