import { styleText } from 'node:util';

export type Side = 'consumer' | 'provider' | 'service' | 'kcp' | 'team-a' | 'team-b';

/** The demo's output: a line per step, as it happens, with the time since the start. */
export interface Timeline {
  /** Seconds since the start of this process. */
  readonly elapsed: number;
  /** Number of steps seen. */
  readonly steps: number;
  /** Reports an awaited step. `afterMs`: how long the processes took. */
  seen(side: Side | undefined, text: string, afterMs?: number): void;
  /** Reports an action of the demo. */
  doing(side: Side | undefined, text: string): void;
  /** A line without time. */
  plain(text?: string): void;
}

export function createTimeline(write: (text: string) => void): Timeline {
  const elapsed = (): number => performance.now() / 1_000;
  let steps = 0;
  const line = (mark: string, side: Side | undefined, text: string): void => {
    const where =
      side === undefined
        ? ''.padEnd(8)
        : styleText(side === 'provider' || side === 'service' ? 'magenta' : 'cyan', side.padEnd(8));
    write(`${styleText('dim', `${elapsed().toFixed(2).padStart(7)} s`)}  ${where}  ${mark} ${text}\n`);
  };
  return {
    get elapsed() {
      return elapsed();
    },
    get steps() {
      return steps;
    },
    seen(side, text, afterMs) {
      steps++;
      line(
        styleText('green', '✓'),
        side,
        afterMs === undefined
          ? text
          : `${text} ${styleText('dim', `(${afterMs < 10 ? afterMs.toFixed(1) : afterMs.toFixed(0)} ms later)`)}`,
      );
    },
    doing(side, text) {
      line(styleText('dim', '·'), side, styleText('dim', text));
    },
    plain(text = '') {
      write(`${text}\n`);
    },
  };
}
