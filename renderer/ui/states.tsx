import type { ReactNode } from 'react';
import { useTranslate } from '../i18n/index.ts';
import { CopyButton } from './buttons.tsx';
import { Alert, Button, Group, Loader, Stack, Text, Title } from './mantine.ts';

/** Nothing is here yet: says what will be here, and offers the ways to get there. */
export function EmptyState({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <div className="ui-empty">
      <Title order={2} mb={6}>
        {title}
      </Title>
      <Text c="var(--quiet)" mb="md">
        {text}
      </Text>
      <Group justify="center">{children}</Group>
    </div>
  );
}

/** A filter that matches nothing is not an empty lab: the filter is shown, and how to lift it. */
export function NoMatch({ title, filter, onClear }: { title: string; filter: string; onClear: () => void }) {
  const t = useTranslate();
  return (
    <EmptyState title={title} text={filter}>
      <Button variant="default" onClick={onClear}>
        {t('common.clearFilters')}
      </Button>
    </EmptyState>
  );
}

export function Loading({ label }: { label?: string }) {
  const t = useTranslate();
  return (
    <Group justify="center" mt="xl" role="status" aria-live="polite">
      <Loader size="sm" />
      <Text c="var(--quiet)">{label ?? t('common.loading')}</Text>
    </Group>
  );
}

export type Problem = { sentence: string; details: string };

/** Nothing can be shown (a cold error): the cause, a way to try again, and the details to pass on. */
export function ErrorPanel({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  const t = useTranslate();
  return (
    <div className="ui-empty" role="alert">
      <Title order={2} mb={6}>
        {t('common.readFailed')}
      </Title>
      <Text mb="md">{problem.sentence}</Text>
      <Group justify="center">
        {onRetry !== undefined && <Button onClick={onRetry}>{t('common.retry')}</Button>}
        <CopyButton text={problem.details} label={t('common.copyDetails')} />
      </Group>
    </div>
  );
}

/** Older content is there (a warm error): it stays, with a line above it. */
export function StaleBanner({ problem, onRetry }: { problem: Problem; onRetry: () => void }) {
  const t = useTranslate();
  return (
    <RetryBanner tone="warn" onRetry={onRetry}>
      {t('common.readStale', { reason: problem.sentence })}
    </RetryBanner>
  );
}

/** Where any of these reads of a page failed: what is missing or old is told above, and not taken for nothing. */
export function PartBanner({
  reads,
  problemOf,
}: {
  reads: readonly Read<unknown>[];
  problemOf: (error: unknown) => Problem;
}) {
  const t = useTranslate();
  const failed = reads.filter(({ error }) => error != null);
  if (failed.length === 0) return null;
  const isMissing = failed.some(({ data }) => data === undefined);
  const reason = [...new Set(failed.map(({ error }) => problemOf(error).sentence))].join('\n');
  return (
    <RetryBanner
      tone={isMissing ? 'bad' : 'warn'}
      onRetry={() => failed.forEach((read) => void read.refetch())}
    >
      {t(isMissing ? 'common.partUnread' : 'common.readStale', { reason })}
    </RetryBanner>
  );
}

function RetryBanner({
  tone,
  onRetry,
  children,
}: {
  tone: 'warn' | 'bad';
  onRetry: () => void;
  children: ReactNode;
}) {
  const t = useTranslate();
  return (
    <Banner
      tone={tone}
      action={
        <Button size="compact-sm" variant="default" style={{ flex: 'none' }} onClick={onRetry}>
          {t('common.retry')}
        </Button>
      }
    >
      {children}
    </Banner>
  );
}

const BANNER_COLORS = { plain: 'gray', warn: 'yellow', bad: 'red', good: 'green' } as const;

/** A line across the page about its state, with at most one action. */
export function Banner({
  tone = 'plain',
  action,
  children,
}: {
  tone?: keyof typeof BANNER_COLORS;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Alert
      color={BANNER_COLORS[tone]}
      variant="light"
      radius={0}
      py={6}
      role={tone === 'bad' ? 'alert' : 'status'}
      // Where a page is low, what it is about gives way.
      style={{ flex: 'none' }}
    >
      <Group justify="space-between" wrap="nowrap" gap="md">
        {/* A reason with examples comes in lines of its own. */}
        <Text size="sm" component="div" c="var(--mantine-color-text)" style={{ whiteSpace: 'pre-line' }}>
          {children}
        </Text>
        {action}
      </Group>
    </Alert>
  );
}

export type Read<T> = { data: T | undefined; error: unknown; isPending: boolean; refetch: () => unknown };

/** The states of a read that asks for what another one found: while that one loads or fails, its own. */
export const following = <T,>(first: Read<unknown>, then: Read<T>): Read<T> =>
  first.data === undefined ? { ...first, data: undefined } : then;

/**
 * The states of one read, decided once: loading, cold error, warm error above old content, content.
 * `problemOf` turns the error into a sentence; data/ provides it.
 */
export function QueryState<T>({
  read,
  problemOf,
  children,
}: {
  read: Read<T>;
  problemOf: (error: unknown) => Problem;
  children: (data: T) => ReactNode;
}) {
  const retry = (): void => void read.refetch();
  if (read.data === undefined)
    return read.error == null ? <Loading /> : <ErrorPanel problem={problemOf(read.error)} onRetry={retry} />;
  return (
    <Stack gap={0} style={{ flex: 1, minHeight: 0 }}>
      {read.error != null && <StaleBanner problem={problemOf(read.error)} onRetry={retry} />}
      {children(read.data)}
    </Stack>
  );
}
