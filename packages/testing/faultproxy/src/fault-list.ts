import type { Fault, FaultRule, FaultedRequest, InjectedFault, RequestMatch } from './fault.js';

/** The faults that hit a request. */
export interface Misfortune {
  readonly latencyMs: number;
  readonly fault: Exclude<Fault, { kind: 'latency' }> | undefined;
}

/** The rules in force, oldest first. */
export class FaultList {
  readonly #rules: Entry[] = [];

  add(rule: FaultRule): InjectedFault {
    const entry: Entry = {
      rule,
      expression:
        rule.match?.path === undefined
          ? undefined
          : new RegExp(rule.match.path.source, rule.match.path.flags.replaceAll(/[gy]/gu, '')),
      hits: 0,
    };
    this.#rules.push(entry);
    return {
      get hits() {
        return entry.hits;
      },
      remove: () => {
        this.#remove(entry);
      },
    };
  }

  clear(): void {
    this.#rules.length = 0;
  }

  /** Counts the request for every matching latency, and for the first other matching fault. */
  take(request: FaultedRequest): Misfortune {
    let latencyMs = 0;
    let fault: Misfortune['fault'];
    for (const entry of [...this.#rules]) {
      const candidate = entry.rule.fault;
      if ((candidate.kind !== 'latency' && fault !== undefined) || !matches(entry, request)) continue;
      entry.hits++;
      if (entry.hits >= (entry.rule.times ?? Infinity)) this.#remove(entry);
      if (candidate.kind === 'latency') latencyMs += candidate.ms;
      else fault = candidate;
    }
    return { latencyMs, fault };
  }

  #remove(entry: Entry): void {
    const index = this.#rules.indexOf(entry);
    if (index >= 0) this.#rules.splice(index, 1);
  }
}

interface Entry {
  readonly rule: FaultRule;
  /** Without the flags that make an expression stateful. */
  readonly expression: RegExp | undefined;
  hits: number;
}

function matches(entry: Entry, request: FaultedRequest): boolean {
  const match: RequestMatch = entry.rule.match ?? {};
  return (
    (match.method === undefined || match.method.toUpperCase() === request.method) &&
    (match.watch === undefined || match.watch === request.watch) &&
    (entry.expression === undefined || entry.expression.test(request.url))
  );
}
