import { openSpotlight } from '@mantine/spotlight';
import { useState } from 'react';
import { useCommand } from '../../commands/index.ts';
import { useComputedColorScheme, useRoomNavigate, useMantineColorScheme } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { ROOMS } from '../rooms.ts';
import { ShortcutSheet } from './shortcut-sheet.tsx';

const RAIL = ROOMS.flatMap((room) => (room.rail === null ? [] : [{ id: room.id, ...room.rail }]));

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
