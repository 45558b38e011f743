import type { Client } from '@hawser/client';
import { clientSpeaking, dialects } from '@hawser/klutch';
import { type Dialect, kubeBindDialect } from '@hawser/kube-bind';

/** A dialect that a provider speaks. */
export interface Spoken {
  readonly dialect: Dialect;
  /** In it, kinds of kube-bind are found whatever the dialect. */
  readonly client: Client;
}

/** A provider in the words of one dialect. */
export function spokenIn(dialect: Dialect, client: Client): Spoken {
  return { dialect, client: clientSpeaking(dialect, client) };
}

/** Those that are served: kube-bind's always. */
export function spokenDialects(client: Client, klutch: boolean): readonly Spoken[] {
  return dialects
    .filter((dialect) => klutch || dialect === kubeBindDialect)
    .map((dialect) => spokenIn(dialect, client));
}

/** @throws {RangeError} for one that is not served */
export function speaking(spoken: readonly Spoken[], name: Dialect['name']): Spoken {
  const found = spoken.find(({ dialect }) => dialect.name === name);
  if (found === undefined) throw new RangeError(`${name} is not spoken here`);
  return found;
}
