import { openSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useState } from 'react';
import { useCommand, useCommands, bindings } from '../commands/index.ts';
import {
  useComputedColorScheme,
  useRoomNavigate,
  useMantineColorScheme,
  Kbd,
  Modal,
  Table,
  Quiet,
  visibleString,
} from '../ui/index.ts';
import { useTranslate } from '../i18n/index.ts';
import { api, useSideQuery } from '../data/index.ts';
import { RAIL } from './rooms.ts';

/** Commands that every screen has. */
export function FrameCommands() {
  const t = useTranslate();
  const [isSheetOpen, setSheetOpen] = useState(false);
  const group = t('frame.app');
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme();
  useCommand({
    id: 'frame.palette',
    title: t('frame.palette.open'),
    keys: '$mod+k',
    group,
    run: openSpotlight,
  });
  useCommand({
    id: 'frame.shortcuts',
    title: t('frame.shortcuts.show'),
    keys: 'Shift+?',
    group,
    run: () => setSheetOpen(true),
  });
  useCommand({
    id: 'frame.theme',
    title: t('frame.theme.toggle'),
    keys: null,
    group,
    run: () => setColorScheme(scheme === 'dark' ? 'light' : 'dark'),
  });
  return (
    <>
      {RAIL.map((room) => (
        <GoCommand key={room.id} {...room} />
      ))}
      <ShortcutSheet opened={isSheetOpen} onClose={() => setSheetOpen(false)} />
    </>
  );
}

function GoCommand({ id, title, goKey, path }: (typeof RAIL)[number]) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  useCommand({
    id: `go.${id}`,
    title: t('frame.go', { room: t(title) }),
    keys: `g ${goKey}`,
    group: t('frame.app'),
    run: () => navigate(path),
  });
  return null;
}

/** Newest runs that can be gone to; older ones are found in the list of runs. */
const RUNS = { limit: 50 };

/** Everything that can be done here and now, and the runs, found by typing. */
export function Palette() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const [isOpen, setOpen] = useState(false);
  const commands = useCommands((state) => state.commands);
  const runs = useSideQuery('runs.list', api.runs.list, RUNS, { enabled: isOpen }).data?.rows ?? [];
  const actions: SpotlightActionData[] = [
    ...commands.map(({ id, title, keys, group, run }) => ({
      id,
      label: title,
      description: group,
      onClick: run,
      rightSection: keys === null ? undefined : <Kbd>{keys.replace('$mod', 'Ctrl')}</Kbd>,
    })),
    ...runs.map(({ id, config, state }) => ({
      id: `run.${id}`,
      label: visibleString(config.name),
      description: `${t(`state.${state}`)} · ${id}`,
      onClick: () => navigate('/runs/$runId', { runId: id }),
    })),
  ];
  return (
    <Spotlight
      actions={actions}
      nothingFound={t('frame.palette.nothing')}
      shortcut={null}
      highlightQuery
      limit={12}
      scrollable
      maxHeight={420}
      onSpotlightOpen={() => setOpen(true)}
      onSpotlightClose={() => setOpen(false)}
      attributes={{ content: { 'aria-label': t('frame.palette.open') } }}
      searchProps={{ placeholder: t('frame.palette.search'), 'aria-label': t('frame.palette.search') }}
      overlayProps={{ backgroundOpacity: 0.4 }}
      transitionProps={{ duration: 0 }}
    />
  );
}

/** The keys that work now, by group. */
function ShortcutSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useTranslate();
  const commands = [...bindings(useCommands((state) => state.commands)).values()];
  const groups = [...new Set(commands.map((command) => command.group))];
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('frame.shortcuts')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Quiet mb="sm">{t('frame.shortcuts.text')}</Quiet>
      {groups.map((group) => (
        <Table key={group} mb="md" verticalSpacing={4} captionSide="top">
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
                    {keys
                      ?.replace('$mod', 'Ctrl')
                      .replace('Shift+?', '?')
                      .split(' ')
                      .map((key) => (
                        <Kbd key={key} ms={4}>
                          {key}
                        </Kbd>
                      ))}
                  </Table.Td>
                </Table.Tr>
              ))}
          </Table.Tbody>
        </Table>
      ))}
    </Modal>
  );
}
