import type { Api } from '../../data/index.ts';
import type { MessageId, MessageValues } from '../../i18n/index.ts';

export type AirGap = Awaited<ReturnType<Api['airgap']['state']['query']>>;
export type Finding = NonNullable<Awaited<ReturnType<Api['lab']['doctorReport']['query']>>>[number];
export type About = Awaited<ReturnType<Api['lab']['about']['query']>>;
export type Storage = Awaited<ReturnType<Api['lab']['storage']['query']>>;
export type BackupFile = Awaited<ReturnType<Api['lab']['backups']['query']>>[number];

export type RunOutlook = NonNullable<
  Awaited<ReturnType<Api['lab']['backupReport']['query']>>
>['outlooks'][number];

type Sentence = { id: MessageId; values: MessageValues; tone: 'good' | 'bad' | 'plain' };

/** A moment as a sentence says it: with the day when that is another one. */
export function momentText(iso: string, now: Date): string {
  const at = new Date(iso);
  const isToday = at.toDateString() === now.toDateString();
  return at.toLocaleString(
    'en-GB',
    isToday
      ? { hour: '2-digit', minute: '2-digit' }
      : { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  );
}

/** The state of the air gap as its one big sentence. */
export function airGapSentence(state: AirGap, now: Date): Sentence {
  const since = momentText(state.since, now);
  if (state.outside.length > 0)
    return { id: 'settings.airgap.some', values: { n: state.outside.length, since }, tone: 'bad' };
  if (state.watch === null) return { id: 'settings.airgap.blind', values: { since }, tone: 'plain' };
  return { id: 'settings.airgap.none', values: { since }, tone: 'good' };
}

/** What the last self-test says; one whose instrument failed proves nothing either way. */
export function selfTestSentence(
  test: AirGap['selfTest'],
  now: Date,
  duration: (seconds: number) => string,
): Sentence {
  if (test === null) return { id: 'settings.airgap.test.never', values: {}, tone: 'plain' };
  const at = momentText(test.at, now);
  if (test.outsideCount > 0)
    return { id: 'settings.airgap.test.failed', values: { at, n: test.outsideCount }, tone: 'bad' };
  if (!test.controlSeen) return { id: 'settings.airgap.test.noControl', values: { at }, tone: 'bad' };
  return {
    id: 'settings.airgap.test.passed',
    values: { at, programs: test.programs, seconds: duration(test.seconds) },
    tone: 'good',
  };
}

/** The command inside a sentence that names a fix, where it quotes one. */
export function commandIn(fix: string): string | null {
  return /\brun: (.+?)(?: \(without|, or |; |$)/.exec(fix)?.[1] ?? /\brun "([^"]+)"/.exec(fix)?.[1] ?? null;
}

/** Packages whose name or licence holds every word. */
export function packagesMatching(packages: About['packages'], text: string): About['packages'] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return packages.filter(({ name, licence }) =>
    words.every((word) => `${name} ${licence}`.toLowerCase().includes(word)),
  );
}
