import { useState } from 'react';
import { z } from 'zod';
import { api, bridge, notify, readableFailure, useAct, useRead } from '../../data/index.ts';
import { Button, Page, ReadState, Stack, useGo, useRoomSearch } from '../../ui/index.ts';
import { useWords } from '../../i18n/index.ts';
import { FolderBrowser } from './parts/folder-browser.tsx';
import { LookCard } from './parts/look-card.tsx';
import { PathField } from './parts/path-field.tsx';
import { freeName } from './model.ts';
import './library.css';

const searchSchema = z.object({
  path: z.string().optional().catch(undefined),
  folder: z.string().optional().catch(undefined),
});

/** /library/import: choose a path, see what stands there, take it in. */
export function ImportPage() {
  const t = useWords();
  const go = useGo();
  const [{ path, folder }, change] = useRoomSearch(searchSchema);
  const look = useRead(
    'library.look',
    api.library.look,
    { path: path ?? '' },
    { enabled: path !== undefined, keep: false },
  );
  const list = useRead('library.list', api.library.list, undefined);
  const places = useRead('library.places', api.library.places, undefined, { enabled: bridge === null });
  const start = useAct(api.library.import, { invalidates: ['jobs'] });
  const [how, setHow] = useState<'copy' | 'link'>('copy');
  const taken = [...(list.data?.models ?? []), ...(list.data?.datasets ?? [])].map(({ name }) => name);
  const begin = async (name: string): Promise<void> => {
    if (path === undefined) return;
    try {
      await start.mutateAsync({ path, name, how });
    } catch {
      return; // the failure is shown as a notice, and the page stays as it is
    }
    notify(t('library.started', { name }));
    go('/library', {}, look.data?.kind === 'dataset' ? { tab: 'datasets' } : {});
  };
  return (
    <Page
      title={t('library.import.title')}
      actions={
        <Button variant="default" onClick={() => go('/library')}>
          {t('library.back')}
        </Button>
      }
    >
      <Stack className="library-narrow" gap="md">
        <PathField path={path ?? ''} onLook={(wanted) => change({ path: wanted })} />
        {path !== undefined && (
          <ReadState read={look} problemOf={readableFailure}>
            {(found) => (
              <LookCard
                key={found.path}
                look={found}
                proposedName={freeName(found.name, taken)}
                how={how}
                onHow={setHow}
                isStarting={start.isPending}
                onStart={(name) => void begin(name)}
              />
            )}
          </ReadState>
        )}
        {bridge === null && places.data !== undefined && (
          <FolderBrowser
            places={places.data}
            folder={folder ?? places.data[0]?.path ?? ''}
            onFolder={(wanted) => change({ folder: wanted })}
            onTake={(wanted) => change({ path: wanted })}
          />
        )}
      </Stack>
    </Page>
  );
}
