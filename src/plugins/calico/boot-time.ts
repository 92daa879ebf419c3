const minute = 60_000;
const zoneStep = 15 * minute;
const widestZone = 14 * 60 * minute;
/** The clock of a virtual machine is set right after its boot, and the time of the boot with it. */
const drift = minute;

/**
 * Whether Calico's note of the last boot, local time in the general format of Windows' culture ("3/2/2026 3:02:11 AM",
 * "02.03.2026 03:02:11"), is of the boot at `bootedAt`. Undefined where it cannot be read.
 * Zones are multiples of a quarter of an hour: any that makes the two equal is taken for the node's.
 */
export function isSameBoot(noted: string, bootedAt: number): boolean | undefined {
  const candidates = readings(noted);
  if (candidates.length === 0) return undefined;
  return candidates.some(local => {
    const difference = local - bootedAt;
    const rest = Math.abs(difference) % zoneStep;
    return Math.abs(difference) <= widestZone + drift && Math.min(rest, zoneStep - rest) <= drift;
  });
}

/** The day comes before or after the month, or the year first: every reading that is a date. */
function readings(noted: string): number[] {
  const match = /^\D*(\d{1,4})\D+(\d{1,2})\D+(\d{1,4})\D+(\d{1,2})\D(\d{2})\D(\d{2})(.*)$/u.exec(noted.trim());
  if (!match) return [];
  const [one = 0, two = 0, three = 0, hour = 0, minutes = 0, seconds = 0] = match.slice(1, 7).map(Number);
  const afternoon = /p|下午|오후|μμ/iu.test(noted) && hour < 12 ? 12 : 0;
  const midnight = /a|上午|오전|πμ/iu.test(noted) && hour === 12 ? -12 : 0;
  const dates =
    one > 31
      ? [[one, two, three]]
      : [
          [three, one, two],
          [three, two, one],
        ];
  return dates
    .filter(([, month = 0, day = 0]) => month >= 1 && month <= 12 && day >= 1 && day <= 31)
    .map(([year = 0, month = 0, day = 0]) =>
      Date.UTC(year < 100 ? 2000 + year : year, month - 1, day, hour + afternoon + midnight, minutes, seconds),
    );
}
