import { type FunctionComponent, useState } from 'react';
import { z } from 'zod';
import { useCommand, useCommands } from '../../commands/index.ts';
import {
  Page,
  useRoomSearch,
  Group,
  Kbd,
  Stack,
  Table,
  Quiet,
  Button,
  Modal,
  NoMatch,
  QueryState,
  TextInput,
  Title,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { AirGapSection } from './air-gap.tsx';
import { AppearanceSection } from './appearance.tsx';
import { BackupSection } from './backup.tsx';
import { HardwareSection } from './hardware.tsx';
import { StorageSection } from './storage.tsx';
import './settings.css';
import { api, readableFailure, useApiQuery } from '../../data/index.ts';
import { packagesMatching, type About } from './model.ts';

const SECTIONS = ['airgap', 'hardware', 'storage', 'backup', 'appearance', 'shortcuts', 'about'] as const;
type Section = (typeof SECTIONS)[number];

const COMPONENTS: Record<Section, FunctionComponent> = {
  airgap: AirGapSection,
  hardware: HardwareSection,
  storage: StorageSection,
  backup: BackupSection,
  appearance: AppearanceSection,
  shortcuts: ShortcutsSection,
  about: AboutSection,
};
const searchSchema = z.object({ section: z.enum(SECTIONS).catch('airgap') });

/** /settings: the state of the machine and the lab, and how the window looks. */
export function SettingsPage() {
  const t = useTranslate();
  const [{ section }, change] = useRoomSearch(searchSchema);
  const Shown = COMPONENTS[section];
  return (
    <Page title={t('settings.title')} flush>
      <div className="settings-split">
        <nav className="settings-nav" aria-label={t('settings.sections')}>
          {SECTIONS.map((each) => (
            <SectionButton
              key={each}
              section={each}
              isShown={each === section}
              onShow={() => change({ section: each })}
            />
          ))}
        </nav>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a section of text alone has to be scrolled by keys, too */}
        <section className="settings-body" tabIndex={0} aria-label={t(`settings.section.${section}`)}>
          <div className="settings-column">
            <Shown key={section} />
          </div>
        </section>
      </div>
    </Page>
  );
}

function SectionButton({
  section,
  isShown,
  onShow,
}: {
  section: Section;
  isShown: boolean;
  onShow: () => void;
}) {
  const t = useTranslate();
  const title = t(`settings.section.${section}`);
  useCommand({ id: `settings.${section}`, title, keys: null, group: t('settings.group'), run: onShow });
  return (
    <button type="button" aria-current={isShown} onClick={onShow}>
      {title}
    </button>
  );
}

const shown = (keys: string): string[] => keys.replace('$mod', 'Ctrl').replace('Shift+?', '?').split(' ');

/** Every command there is now, with its keys. */
function ShortcutsSection() {
  const t = useTranslate();
  const commands = useCommands((state) => state.commands);
  const groups = [...new Set(commands.map(({ group }) => group))];
  return (
    <Stack gap="lg">
      <Quiet>{t('settings.shortcuts.text')}</Quiet>
      {groups.map((group) => (
        <Table
          key={group}
          captionSide="top"
          verticalSpacing={4}
          aria-label={t('settings.shortcuts.table', { group })}
        >
          <Table.Caption ta="start" fw={600}>
            {group}
          </Table.Caption>
          <Table.Tbody>
            {commands
              .filter((command) => command.group === group)
              .map(({ id, title, keys }) => (
                <Table.Tr key={id}>
                  <Table.Td>{title}</Table.Td>
                  <Table.Td ta="end">
                    {keys === null ? (
                      <Quiet size="xs">{t('settings.shortcuts.none')}</Quiet>
                    ) : (
                      <Group gap={4} justify="flex-end">
                        {shown(keys).map((key) => (
                          <Kbd key={key}>{key}</Kbd>
                        ))}
                      </Group>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
          </Table.Tbody>
        </Table>
      ))}
    </Stack>
  );
}

/** Versions, and the licences of everything inside the application. */
function AboutSection() {
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
          <Quiet>{t('settings.about.python')}</Quiet>
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
