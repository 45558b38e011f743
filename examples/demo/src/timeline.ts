import { styleText } from 'node:util';

export type Side = 'consumer' | 'provider' | 'service' | 'kcp' | 'team-a' | 'team-b';

/** What is printed while the demo runs: a line per step, as it happens, with the time since the start. */
export interface Timeline {
  /** Seconds since the start of this process. */
  readonly elapsed: number;
  /** How many steps were seen. */
  readonly steps: number;
  /** Something that was waited for and seen. `afterMs`: how long it took the processes. */
  seen(side: Side | undefined, text: string, afterMs?: number): void;
  /** Something that the demo does now. */
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
