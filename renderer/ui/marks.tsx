import type { Phase, RunState } from '../../electron/contract/index.ts';
import { glossary, useTranslate, type GlossaryId } from '../i18n/index.ts';
import { Tooltip } from './mantine.ts';

const STATE_COLORS: Record<RunState, string> = {
  queued: 'var(--quiet)',
  'setting-up': 'var(--phase-task)',
  stepping: 'var(--phase-task)',
  pausing: 'var(--warn)',
  paused: 'var(--warn)',
  interrupted: 'var(--warn)',
  done: 'var(--good)',
  failed: 'var(--bad)',
};

/** A run's state as colour and word. */
export function StatusDot({ state }: { state: RunState }) {
  const t = useTranslate();
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', whiteSpace: 'nowrap' }}>
      <span className="kit-dot" style={{ background: STATE_COLORS[state] }} aria-hidden />
      {t(`state.${state}`)}
    </span>
  );
}

/** A phase of supervision as colour and word. */
export function PhaseChip({ phase, short = false }: { phase: Phase; short?: boolean }) {
  const t = useTranslate();
  return (
    <span className="kit-phase" style={{ color: `var(--phase-${phase})` }}>
      {t(short ? `phase.${phase}.short` : `phase.${phase}`)}
    </span>
  );
}

/** A term of the glossary with its explanation on hover and focus. */
export function Term({ id }: { id: GlossaryId }) {
  const { term, text } = glossary[id];
  return (
    <Tooltip label={text} multiline w={300} withArrow events={{ hover: true, focus: true, touch: true }}>
      <button type="button" className="kit-term">
        {term}
      </button>
    </Tooltip>
  );
}
