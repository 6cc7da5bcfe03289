import { Navigate } from '@tanstack/react-router';
import { IconDatabaseImport, IconPlayerPlay, IconRoute } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { api, readableFailure, useApiQuery, useApiMutation } from '../data/index.ts';
import { QueryState, Button, Page, Paper, SimpleGrid, Text, Title, useRoomNavigate } from '../ui/index.ts';
import { useTranslate } from '../i18n/index.ts';
import { START_PATH } from './rooms.ts';

const ONE = { limit: 1 };

/** Where the window begins: at the runs, or, in a lab without any, at the ways to begin. */
export function Start() {
  const read = useApiQuery('runs.list', api.runs.list, ONE);
  return (
    <QueryState read={read} problemOf={readableFailure}>
      {({ rows }) => (rows.length === 0 ? <FirstLaunch /> : <Navigate to={START_PATH as never} replace />)}
    </QueryState>
  );
}

type DoorProps = {
  icon: ComponentType<{ size?: number; stroke?: number }>;
  title: string;
  text: string;
  action: string;
  isMain?: boolean;
  isBusy?: boolean;
  onOpen: () => void;
};

/** One way to begin. */
function Door({ icon: Icon, title, text, action, isMain = false, isBusy = false, onOpen }: DoorProps) {
  return (
    <Paper component="section" withBorder p="lg" className="app-door">
      <Icon size={30} stroke={1.5} />
      <Title order={2}>{title}</Title>
      <Text c="var(--quiet)" size="sm">
        {text}
      </Text>
      <Button variant={isMain ? 'filled' : 'default'} loading={isBusy} onClick={onOpen}>
        {action}
      </Button>
    </Paper>
  );
}

/** What an empty lab shows: the sample run, a fresh demo, the library. */
function FirstLaunch() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const demo = useApiMutation(api.lab.startDemo, { invalidates: ['runs'] });
  return (
    <Page title={t('frame.first.title')}>
      <div className="app-first">
        <Text mb="lg">{t('frame.first.text')}</Text>
        <SimpleGrid cols={3} spacing="lg">
          <Door
            isMain
            icon={IconRoute}
            title={t('frame.first.sample')}
            text={t('frame.first.sample.text')}
            action={t('frame.first.sample.go')}
            onOpen={() => navigate('/tour')}
          />
          <Door
            icon={IconPlayerPlay}
            title={t('frame.first.demo')}
            text={t('frame.first.demo.text')}
            action={t('frame.first.demo.go')}
            isBusy={demo.isPending}
            onOpen={() => demo.mutate(undefined, { onSuccess: () => navigate('/runs') })}
          />
          <Door
            icon={IconDatabaseImport}
            title={t('frame.first.import')}
            text={t('frame.first.import.text')}
            action={t('frame.first.import.go')}
            onOpen={() => navigate('/library')}
          />
        </SimpleGrid>
        <Text mt="lg" c="var(--quiet)" size="sm">
          {t('frame.first.new')}{' '}
          <Button variant="subtle" size="compact-sm" onClick={() => navigate('/new')}>
            {t('frame.first.new.go')}
          </Button>
        </Text>
      </div>
    </Page>
  );
}
