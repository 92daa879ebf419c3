const minute = 60_000;
const zoneStep = 15 * minute;
const widestZone = 14 * 60 * minute;
/** The clock of a virtual machine is corrected right after boot, which also shifts the boot time. */
const drift = minute;

/**
 * Whether the boot time recorded by Calico refers to the boot at `bootedAt`. It is a local time in the format of the
 * Windows culture ("3/2/2026 3:02:11 AM", "02.03.2026 03:02:11"). Undefined if it cannot be parsed. Time zones are
 * multiples of 15 minutes: any zone in which the two times match is accepted.
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

/** All valid interpretations: day before month, month before day, or year first. */
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
