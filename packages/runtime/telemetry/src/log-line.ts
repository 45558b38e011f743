import type { LogLevel } from './logger.js';

export type LogFormat = 'json' | 'text';

export interface LogLine {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  /** Already redacted. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const reserved: ReadonlySet<string> = new Set(['time', 'level', 'message']);

/** Formats one line, without its newline. A field with the name of a part of the line gets an underscore. */
export function renderLine(line: LogLine, format: LogFormat): string {
  switch (format) {
    case 'json': {
      const all = Object.create(null) as Record<string, unknown>;
      all['time'] = line.time;
      all['level'] = line.level;
      all['message'] = line.message;
      for (const [key, value] of Object.entries(line.fields)) all[reserved.has(key) ? `${key}_` : key] = value;
      return JSON.stringify(all);
    }
    case 'text': {
      const fields = Object.entries(line.fields)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => ` ${plain(key)}=${shown(value)}`);
      return `${line.time} ${line.level.toUpperCase().padEnd(5)} ${line.message.replace(unprintable, ' ')}${fields.join('')}`;
    }
  }
}

// Control characters could forge lines and control terminals.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

function shown(value: unknown): string {
  if (typeof value === 'string') return plain(value);
  return JSON.stringify(value).replace(unprintable, ' ');
}

/** Keeps a single word, and quotes other text. */
function plain(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : JSON.stringify(text).replace(unprintable, ' ');
}
