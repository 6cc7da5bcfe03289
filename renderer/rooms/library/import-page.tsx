import { useState } from 'react';
import { z } from 'zod';
import { api, bridge, notify, readableFailure, useApiMutation, useApiQuery } from '../../data/index.ts';
import { Button, Page, QueryState, Stack, useRoomNavigate, useRoomSearch } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
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
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const [{ path, folder }, change] = useRoomSearch(searchSchema);
  const look = useApiQuery(
    'library.look',
    api.library.look,
    { path: path ?? '' },
    { enabled: path !== undefined, keep: false },
  );
  const list = useApiQuery('library.list', api.library.list, undefined);
  const places = useApiQuery('library.places', api.library.places, undefined, { enabled: bridge === null });
  const start = useApiMutation(api.library.import, { invalidates: ['jobs'] });
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
    navigate('/library', {}, look.data?.kind === 'dataset' ? { tab: 'datasets' } : {});
  };
  return (
    <Page
      title={t('library.import.title')}
      actions={
        <Button variant="default" onClick={() => navigate('/library')}>
          {t('library.back')}
        </Button>
      }
    >
      <Stack className="library-narrow" gap="md">
        <PathField path={path ?? ''} onLook={(wanted) => change({ path: wanted })} />
        {path !== undefined && (
          <QueryState read={look} problemOf={readableFailure}>
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
          </QueryState>
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
