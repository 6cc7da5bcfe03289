import { PHASES, type PhaseProbabilities } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

const WIDTH = 7;
const GAP = 3;
const HEIGHT = 18;

/** Five tiny bars, one per phase, as tall as its review probability; a phase that is off keeps its ground line. */
export function PhaseBars({ phases }: { phases: PhaseProbabilities }) {
  const t = useTranslate();
  if (PHASES.every((phase) => phases[phase] === 0))
    return <span className="runs-quiet">{t('runs.supervision.off')}</span>;
  return (
    <svg
      width={PHASES.length * (WIDTH + GAP)}
      height={HEIGHT}
      role="img"
      aria-label={t('runs.supervision.bars', { ...phases })}
    >
      <title>{t('runs.supervision.bars', { ...phases })}</title>
      {PHASES.map((phase, index) => (
        <g key={phase} fill={`var(--phase-${phase})`}>
          <rect x={index * (WIDTH + GAP)} y={HEIGHT - 1} width={WIDTH} height={1} />
          <rect
            x={index * (WIDTH + GAP)}
            y={(HEIGHT - 1) * (1 - phases[phase])}
            width={WIDTH}
            height={(HEIGHT - 1) * phases[phase]}
          />
        </g>
      ))}
    </svg>
  );
}
