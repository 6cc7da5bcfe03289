import type { FunctionComponent } from 'react';
import { z } from 'zod';
import { useCommand, useCommands } from '../../commands/index.ts';
import { Page, useRoomSearch, Group, Kbd, Stack, Table, Text } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { AboutSection } from './about.tsx';
import { AirGapSection } from './air-gap.tsx';
import { AppearanceSection } from './appearance.tsx';
import { BackupSection } from './backup.tsx';
import { HardwareSection } from './hardware.tsx';
import { StorageSection } from './storage.tsx';
import './settings.css';

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
      <Text size="sm" c="var(--quiet)">
        {t('settings.shortcuts.text')}
      </Text>
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
                      <Text size="xs" c="var(--quiet)">
                        {t('settings.shortcuts.none')}
                      </Text>
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
