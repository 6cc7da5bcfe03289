import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useState } from 'react';
import { useCommands } from '../../commands/index.ts';
import { api, useApiQuery } from '../../data/index.ts';
import { Kbd, useRoomNavigate } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';

/** Newest runs that can be gone to; older ones are found in the list of runs. */
const RUNS = { limit: 50 };

/** Everything that can be done here and now, and the runs, found by typing. */
export function Palette() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const [isOpen, setOpen] = useState(false);
  const commands = useCommands((state) => state.commands);
  const runs = useApiQuery('runs.list', api.runs.list, RUNS, { enabled: isOpen }).data?.rows ?? [];
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
      label: config.name,
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
      searchProps={{ placeholder: t('frame.palette.search'), 'aria-label': t('frame.palette.search') }}
      overlayProps={{ backgroundOpacity: 0.4 }}
      transitionProps={{ duration: 0 }}
    />
  );
}
