const MISSING = '–';

export function percentText(share: number | null, digits = 1): string {
  return share === null || !Number.isFinite(share) ? MISSING : `${(share * 100).toFixed(digits)} %`;
}

/** Seconds as a person says them: 0.8 s, 12 s, 3 min 20 s, 2 h 05 min, 3 d 4 h. */
export function durationText(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return MISSING;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, '0')} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Decimal units, as disks are sold. */
export function bytesText(bytes: number | null): string {
  if (bytes === null || !Number.isFinite(bytes)) return MISSING;
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}
