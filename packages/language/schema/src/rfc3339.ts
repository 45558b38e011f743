/** A time in the API server's form: in UTC, to the second. */
export type ParsedTime = { readonly ok: true; readonly time: string } | { readonly ok: false; readonly error: string };

const LAYOUT = '2006-01-02T15:04:05Z07:00';

/** Parts of the layout, and their patterns. */
const PARTS: readonly (readonly [part: string, shape: RegExp])[] = [
  ['2006', /^[0-9]{4}/],
  ['-', /^-/],
  ['01', /^[0-9]{2}/],
  ['-', /^-/],
  ['02', /^[0-9]{2}/],
  ['T', /^T/],
  ['15', /^[0-9]{2}/],
  [':', /^:/],
  ['04', /^[0-9]{2}/],
  [':', /^:/],
  ['05', /^[0-9]{2}(?:[.,][0-9]+)?/],
  ['Z07:00', /^(?:Z|[+-][0-9]{2}:[0-9]{2})/],
];
const RANGES: ReadonlyMap<string, readonly [name: string, least: number, most: number]> = new Map([
  ['01', ['month', 1, 12]],
  ['02', ['day', 1, 31]],
  ['15', ['hour', 0, 23]],
  ['04', ['minute', 0, 59]],
  ['05', ['second', 0, 59]],
]);

/** Matches times already in that form, on a day that every month has. */
const WRITTEN = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/;

/** Parses RFC 3339 with the errors of Go's `time.Parse`. */
export function parseTime(text: string): ParsedTime {
  // Fast path: the API server's own output is read most often.
  if (WRITTEN.test(text)) return { ok: true, time: text };
  let rest = text;
  for (const [part, shape] of PARTS) {
    const found = shape.exec(rest)?.[0];
    if (found === undefined)
      return failure(text, `: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(part)}`, true);
    const range = RANGES.get(part);
    const value = Math.trunc(Number(found.replace(',', '.')));
    if (range !== undefined && (value < range[1] || value > range[2]))
      return failure(text, `: ${range[0]} out of range`, false);
    rest = rest.slice(found.length);
  }
  if (rest !== '') return failure(text, `: extra text: ${JSON.stringify(rest)}`, false);
  const milliseconds = Date.parse(text.replace(/[.,][0-9]+/, ''));
  const day = Number(text.slice(8, 10));
  if (
    Number.isNaN(milliseconds) ||
    new Date(Date.UTC(2000 + (Number(text.slice(0, 4)) % 400), Number(text.slice(5, 7)) - 1, day)).getUTCDate() !== day
  ) {
    return failure(text, ': day out of range', false);
  }
  return { ok: true, time: new Date(milliseconds).toISOString().replace(/\.[0-9]+Z$/, 'Z') };
}

function failure(text: string, detail: string, withLayout: boolean): ParsedTime {
  return {
    ok: false,
    error: `parsing time ${JSON.stringify(text)}${withLayout ? ` as ${JSON.stringify(LAYOUT)}` : ''}${detail}`,
  };
}
