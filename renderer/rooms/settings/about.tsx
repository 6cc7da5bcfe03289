import { useState } from 'react';
import { api, readableFailure, useApiQuery } from '../../data/index.ts';
import { Button, Modal, NoMatch, QueryState, Stack, Table, Text, TextInput, Title } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { packagesMatching, type About } from './model.ts';

/** Versions, and the licences of everything inside the application. */
export function AboutSection() {
  const t = useTranslate();
  const about = useApiQuery('lab.about', api.lab.about, undefined);
  return (
    <QueryState read={about} problemOf={readableFailure}>
      {({ application, node, electron, system, labFolder, packages }) => (
        <Stack gap="lg">
          <Stack gap={6}>
            <Title order={2}>{t('settings.about.application', { version: application })}</Title>
            <dl className="settings-facts">
              <dt>{t('settings.about.license')}</dt>
              <dd>{t('settings.about.licence')}</dd>
              <dt>{t('settings.about.node')}</dt>
              <dd>{node}</dd>
              <dt>{t('settings.about.electron')}</dt>
              <dd>{electron ?? t('settings.about.electron.none')}</dd>
              <dt>{t('settings.hardware.system')}</dt>
              <dd>{system}</dd>
              <dt>{t('settings.about.lab')}</dt>
              <dd>{labFolder}</dd>
            </dl>
          </Stack>
          <Packages packages={packages} />
          <Text size="sm" c="var(--quiet)">
            {t('settings.about.python')}
          </Text>
        </Stack>
      )}
    </QueryState>
  );
}

export function Packages({ packages }: { packages: About['packages'] }) {
  const t = useTranslate();
  const [filter, setFilter] = useState('');
  const [open, setOpen] = useState<About['packages'][number] | null>(null);
  const found = packagesMatching(packages, filter);
  return (
    <Stack gap={6}>
      <Title order={2}>{t('settings.about.packages', { n: packages.length })}</Title>
      <TextInput
        label={t('settings.about.filter')}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      {found.length === 0 ? (
        <NoMatch title={t('settings.about.noMatch')} filter={filter} onClear={() => setFilter('')} />
      ) : (
        <Table verticalSpacing={2} aria-label={t('settings.about.packages.table')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('settings.about.package')}</Table.Th>
              <Table.Th>{t('settings.about.version')}</Table.Th>
              <Table.Th>{t('settings.about.license')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {found.map((each) => (
              <Table.Tr key={`${each.name} ${each.version}`}>
                <Table.Td>{each.name}</Table.Td>
                <Table.Td className="numbers">{each.version}</Table.Td>
                <Table.Td>
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    aria-label={t('settings.about.show.of', { licence: each.licence, name: each.name })}
                    onClick={() => setOpen(each)}
                  >
                    {each.licence}
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Modal
        opened={open !== null}
        onClose={() => setOpen(null)}
        title={open === null ? '' : t('settings.about.show', { name: open.name })}
        size="lg"
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <pre className="ui-pre">{open?.text ?? t('settings.about.noText')}</pre>
      </Modal>
    </Stack>
  );
}
