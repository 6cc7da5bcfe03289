import { useState } from 'react';
import { z } from 'zod';
import {
  api,
  bridge,
  notify,
  readableFailure,
  useApiMutation,
  useApiQuery,
  useSideQuery,
} from '../../data/index.ts';
import {
  Button,
  FolderBrowser,
  Page,
  QueryState,
  Stack,
  useRoomNavigate,
  useRoomSearch,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { PathField } from './path-field.tsx';
import { InspectionCard, type How, type ImportWish } from './inspection-card.tsx';
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
  const inspection = useApiQuery(
    'library.look',
    api.library.look,
    { path: path ?? '' },
    { enabled: path !== undefined, keep: false },
  );
  const list = useSideQuery('library.list', api.library.list, undefined);
  const places = useApiQuery('library.places', api.library.places, undefined, { enabled: bridge === null });
  const shown = folder ?? places.data?.[0]?.path ?? '';
  const listing = useApiQuery(
    'library.folder',
    api.library.folder,
    { path: shown },
    { enabled: shown !== '' },
  );
  const start = useApiMutation(api.library.import, { invalidates: ['jobs'] });
  const make = useApiMutation(api.library.makePolicy, { invalidates: ['jobs'] });
  const [how, setHow] = useState<How>('copy');
  const taken = [...(list.data?.models ?? []), ...(list.data?.datasets ?? [])].map(({ name }) => name);
  const begin = async (wish: ImportWish): Promise<void> => {
    if (path === undefined) return;
    try {
      await ('how' in wish
        ? start.mutateAsync({ path, ...wish })
        : make.mutateAsync({ path, folder: null, ...wish }));
    } catch {
      return; // the failure is shown as a notice, and the page stays as it is
    }
    notify(t('library.started', { name: wish.name }));
    navigate('/library', {}, inspection.data?.kind === 'dataset' ? { tab: 'datasets' } : {});
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
          <QueryState read={inspection} problemOf={readableFailure}>
            {(found) => (
              <InspectionCard
                key={found.path}
                inspection={found}
                proposedName={freeName(found.name, taken)}
                how={how}
                onHow={setHow}
                policies={(list.data?.models ?? []).flatMap(({ kind, name }) =>
                  kind === 'policy' ? [name] : [],
                )}
                isStarting={start.isPending || make.isPending}
                onStart={(wish) => void begin(wish)}
              />
            )}
          </QueryState>
        )}
        {bridge === null && (
          <QueryState read={places} problemOf={readableFailure}>
            {(found) => (
              <FolderBrowser
                places={found}
                folder={shown}
                listing={listing}
                problemOf={readableFailure}
                onFolder={(wanted) => change({ folder: wanted })}
                onTake={(wanted) => change({ path: wanted })}
              />
            )}
          </QueryState>
        )}
      </Stack>
    </Page>
  );
}
