import { styleText } from 'node:util';

import type { Paint, Tone } from '@hawser/preview';

import { printable } from './printable.js';

/** Colours of one terminal. */
export interface Colours {
  /** Marks text for {@link shown}. */
  readonly paint: Paint;
  /** Text ready to print (see {@link printable}), with only those colours that `paint` gave it. */
  readonly shown: (text: string) => string;
}

const FORMATS = { good: 'green', warning: 'yellow', bad: 'red' } as const satisfies Record<Tone, string>;

/** `secret`: must not occur in printed text, as only `paint` may make colours. */
export function createColours(wanted: boolean, secret: string): Colours {
  if (!wanted) return { paint: (_tone, text) => text, shown: printable };
  const end = `\u0000${secret}.`;
  const begin: Readonly<Record<Tone, string>> = {
    good: `\u0000${secret}good.`,
    warning: `\u0000${secret}warning.`,
    bad: `\u0000${secret}bad.`,
  };
  const tones = ['good', 'warning', 'bad'] as const;
  const shown = (text: string): string =>
    text
      .split(end)
      .map((part) => {
        const found = tones.map((tone) => ({ tone, at: part.indexOf(begin[tone]) })).find(({ at }) => at !== -1);
        if (found === undefined) return printable(part);
        const { tone, at } = found;
        return `${printable(part.slice(0, at))}${styleText(FORMATS[tone], printable(part.slice(at + begin[tone].length)), { validateStream: false })}`;
      })
      .join('');
  return { paint: (tone, text) => `${begin[tone]}${text}${end}`, shown };
}

/**
 * Whether a stream gets colours, by Node's rules: a terminal does, unless `NO_COLOR` is set; `FORCE_COLOR` wins over
 * both.
 */
export function wantsColours(
  {
    FORCE_COLOR: force,
    NO_COLOR: no,
    NODE_DISABLE_COLORS: disable = '',
    TERM: terminal,
  }: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean | undefined,
): boolean {
  if (force !== undefined) return ['', '1', '2', '3', 'true'].includes(force);
  return isTerminal === true && disable === '' && (no === undefined || no === '') && terminal !== 'dumb';
}
