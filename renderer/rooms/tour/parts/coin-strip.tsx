import type { Phase } from '../../../../electron/contract/index.ts';

const WIDTH = 300;
const HEIGHT = 14;

/** The coins of a phase between 0 and 1: filled below p, hollow above. The numbers stand in the table's next column. */
export function CoinStrip({ coins, p, phase }: { coins: readonly number[]; p: number; phase: Phase }) {
  return (
    <svg width={WIDTH} height={HEIGHT} aria-hidden>
      <line x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} stroke="var(--line)" />
      {coins.map((coin) => (
        <circle
          key={coin}
          cx={3 + coin * (WIDTH - 6)}
          cy={HEIGHT / 2}
          r={3}
          stroke={`var(--phase-${phase})`}
          fill={coin < p ? `var(--phase-${phase})` : 'var(--panel)'}
        />
      ))}
      <line
        x1={3 + p * (WIDTH - 6)}
        x2={3 + p * (WIDTH - 6)}
        y1={0}
        y2={HEIGHT}
        stroke="currentColor"
        strokeWidth={1.5}
      />
    </svg>
  );
}
