/** `2026-11-21 02:04:31.123456`, in UTC. All digits, so that what is shown can be given back as `--at`. */
export const formatTime = (iso: string): string => iso.replace('T', ' ').replace(/(Z|[+-]00:00)$/, '');

/** `0.3 s`, `12 s`, `2 min 5 s`, `1 h 3 min` */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
