import type { KubeObject } from '@hawser/client';
import { type Reach, isReached } from '@hawser/exportrbac';

/** What a consumer sees of one resource. */
export class Sight {
  readonly clusterNamespace: string;
  readonly reaches: readonly Reach[];

  constructor(clusterNamespace: string, reaches: readonly Reach[]) {
    this.clusterNamespace = clusterNamespace;
    this.reaches = reaches;
  }

  /** Whether an object is the consumer's. */
  sees({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
    return this.reaches.some((reach) => isReached(this.clusterNamespace, reach, metadata));
  }

  /** Whether an object of this name can be the consumer's, whatever is in it. */
  mayName(namespace: string, name: string): boolean {
    return this.reaches.some((reach) => {
      switch (reach.kind) {
        case 'namespaces':
          return reach.own.has(namespace) || reach.shared.has(namespace);
        case 'ownNames':
          return namespace === '' && name.startsWith(`${this.clusterNamespace}-`);
        case 'ownMarks':
          return namespace === '';
      }
    });
  }

  /** Whether the consumer can have objects in this namespace; empty: among those of the cluster. */
  mayCreateIn(namespace: string): boolean {
    return this.reaches.some((reach) =>
      reach.kind === 'namespaces' ? reach.own.has(namespace) || reach.shared.has(namespace) : namespace === '',
    );
  }

  /** Whether others can have an object of this name: then only its mark tells whose it is. */
  isSharedName(namespace: string): boolean {
    return !this.reaches.some(
      (reach) => reach.kind === 'ownNames' || (reach.kind === 'namespaces' && reach.own.has(namespace)),
    );
  }

  /** Whether both see the same, whatever objects there are. */
  equals(other: Sight): boolean {
    return this.clusterNamespace === other.clusterNamespace && wordsOf(this) === wordsOf(other);
  }
}

function wordsOf({ reaches }: Sight): string {
  return reaches
    .map((reach) =>
      reach.kind === 'namespaces'
        ? JSON.stringify(['namespaces', [...reach.own].sort(), [...reach.shared].sort()])
        : reach.kind,
    )
    .sort()
    .join('\n');
}
