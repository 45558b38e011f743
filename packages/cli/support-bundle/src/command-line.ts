import { LEFT_OUT, type Shape } from './shape.js';
import { withoutSecrets } from './without-secrets.js';

const sensitive = /secret|token|pass|credential|key/iu;
const WORDS =
  /^(?:\/[\w./-]*\/)?(?:hawser(?:-\w+)?|run|konnector|provider|backend|syncagent|api-syncagent|kube-bind-\w+)$/u;
const LONGEST = 256;

/**
 * The parts of a container's command line that the bundle keeps: names of flags, and the values of those that are
 * `known` and hold no secrets. Other arguments may hold anything.
 */
export function commandLine(known: ReadonlySet<string>): Shape {
  const isHarmless = (flag: string): boolean => known.has(flag) && (!sensitive.test(flag) || flag.endsWith('-file'));
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    let open: string | undefined;
    return value.map((argument: unknown) => {
      const before = open;
      open = undefined;
      if (typeof argument !== 'string') return LEFT_OUT;
      const [, dashes, flag, attached] = /^(--?)([a-zA-Z][\w-]*)(?:=([^]*))?$/u.exec(argument) ?? [];
      if (dashes !== undefined && flag !== undefined) {
        if (attached === undefined) open = flag;
        return attached === undefined
          ? `${dashes}${flag.slice(0, LONGEST)}`
          : `${dashes}${flag}=${isHarmless(flag) ? withoutSecrets(attached).slice(0, LONGEST) : LEFT_OUT}`;
      }
      const isKept = WORDS.test(argument) || (before !== undefined && isHarmless(before));
      return isKept ? withoutSecrets(argument).slice(0, LONGEST) : LEFT_OUT;
    });
  };
}
