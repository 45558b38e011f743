import type { Standing } from './standing.js';

/** How good the news is. */
export type Tone = 'good' | 'warning' | 'bad';

/** Shows a tone if the terminal can; the letters stay the same. */
export type Paint = (tone: Tone, text: string) => string;

/** For output without a terminal. */
export const plain: Paint = (_tone, text) => text;

const TONES: Readonly<Record<Standing, Tone>> = {
  inStep: 'good',
  underWay: 'warning',
  unknown: 'warning',
  held: 'bad',
};

export function toneOf(standing: Standing): Tone {
  return TONES[standing];
}
