/** A time zone: its offset in seconds east of UTC and its abbreviation, at a second of the epoch. */
export interface Zone {
  readonly at: (unixSeconds: bigint) => { readonly offset: number; readonly abbreviation: string };
}

export const utc: Zone = { at: () => ({ offset: 0, abbreviation: 'UTC' }) };

/** A zone with a single offset; without a name it prints as its offset. */
export function fixedZone(abbreviation: string, offset: number): Zone {
  return { at: () => ({ offset, abbreviation }) };
}

// Formats are expensive to create; zone names are few.
const formats = new Map<string, Intl.DateTimeFormat>();
const mostFormats = 200;

/** Throws a `RangeError` for an unknown zone. */
function formatOf(locale: string, timeZone: string, timeZoneName: 'longOffset' | 'short'): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone} ${timeZoneName}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName, year: 'numeric' });
    if (formats.size >= mostFormats) formats.clear();
    formats.set(key, format);
  }
  return format;
}

/** A zone of the IANA database; the empty name, `UTC` and `Local` are UTC. `undefined`: unknown name. */
export function namedZone(name: string): Zone | undefined {
  if (name === '' || name === 'UTC' || name === 'Local') return utc;
  // Go does not accept offsets as names.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,60}$/u.test(name)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = formatOf('en-US', name, 'longOffset');
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return {
    at(unixSeconds) {
      const date = new Date(Number(unixSeconds) * 1000);
      const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
        /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?/u.exec(zoneName(format, date)) ?? [];
      const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
      // The database uses numbers for zones without an abbreviation.
      const numeric = sign + hours.padStart(2, '0') + (minutes === '00' || minutes === '0' ? '' : minutes);
      return { offset: sign === '-' ? -size : size, abbreviation: abbreviationOf(name, date) ?? numeric };
    },
  };
}

function zoneName(format: Intl.DateTimeFormat, date: Date): string {
  return format.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

// Each locale knows only the abbreviations used in its region.
const locales = ['en-US', 'en-GB', 'en-AU', 'en-IN', 'en-ZA', 'en-NZ'];

function abbreviationOf(name: string, date: Date): string | undefined {
  for (const locale of locales) {
    const found = zoneName(formatOf(locale, name, 'short'), date);
    if (/^[A-Z]{2,5}$/u.test(found)) return found;
  }
  return undefined;
}
