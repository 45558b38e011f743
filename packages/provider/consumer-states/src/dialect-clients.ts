import type { Client } from '@hawser/client';
import { clientSpeaking, dialects } from '@hawser/klutch';
import { type Dialect, kubeBindDialect } from '@hawser/kube-bind';

/** A dialect that a provider speaks. */
export interface Spoken {
  readonly dialect: Dialect;
  /** A client that finds kinds of kube-bind in any dialect. */
  readonly client: Client;
}

/** A provider's client in one dialect. */
export function spokenIn(dialect: Dialect, client: Client): Spoken {
  return { dialect, client: clientSpeaking(dialect, client) };
}

/** The served dialects: always kube-bind. */
export function spokenDialects(client: Client, klutch: boolean): readonly Spoken[] {
  return dialects
    .filter((dialect) => klutch || dialect === kubeBindDialect)
    .map((dialect) => spokenIn(dialect, client));
}

/** @throws {RangeError} for a dialect that is not served */
export function speaking(spoken: readonly Spoken[], name: Dialect['name']): Spoken {
  const found = spoken.find(({ dialect }) => dialect.name === name);
  if (found === undefined) throw new RangeError(`${name} is not spoken here`);
  return found;
}
