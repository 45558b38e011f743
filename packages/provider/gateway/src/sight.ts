import type { KubeObject } from '@hawser/client';
import { type Reach, isReached } from '@hawser/exportrbac';

/** A consumer's view of one resource. */
export class Sight {
  readonly clusterNamespace: string;
  readonly reaches: readonly Reach[];

  constructor(clusterNamespace: string, reaches: readonly Reach[]) {
    this.clusterNamespace = clusterNamespace;
    this.reaches = reaches;
  }

  /** Whether an object belongs to the consumer. */
  sees({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
    return this.reaches.some((reach) => isReached(this.clusterNamespace, reach, metadata));
  }

  /** Whether an object of this name can belong to the consumer, whatever its content. */
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

  /** Whether the consumer can have objects in this namespace; empty: cluster-scoped ones. */
  mayCreateIn(namespace: string): boolean {
    return this.reaches.some((reach) =>
      reach.kind === 'namespaces' ? reach.own.has(namespace) || reach.shared.has(namespace) : namespace === '',
    );
  }

  /** Whether other consumers can use the same name. Then only its mark tells to whom an object belongs. */
  isSharedName(namespace: string): boolean {
    return !this.reaches.some(
      (reach) => reach.kind === 'ownNames' || (reach.kind === 'namespaces' && reach.own.has(namespace)),
    );
  }

  /** Whether both see the same, for any set of objects. */
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
