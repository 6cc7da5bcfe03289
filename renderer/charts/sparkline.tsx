/** A run's course in a table cell: a line without axes. `label` says in words what it shows. */
export function Sparkline({
  values,
  label,
  width = 88,
  height = 20,
}: {
  values: readonly number[];
  label: string;
  width?: number;
  height?: number;
}) {
  if (values.length < 2) return null;
  const low = Math.min(...values);
  const span = Math.max(...values) - low;
  const at = (value: number, index: number): string => {
    const x = 1 + (index / (values.length - 1)) * (width - 2);
    // A constant series is a line in the middle, not one at the bottom.
    const y = span === 0 ? height / 2 : height - 2 - ((value - low) / span) * (height - 4);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  };
  return (
    <svg width={width} height={height} role="img" aria-label={label}>
      <polyline
        points={values.map(at).join(' ')}
        fill="none"
        stroke="var(--mantine-primary-color-filled)"
        strokeWidth={1.5}
        strokeLinejoin="round"
      />
    </svg>
  );
}
