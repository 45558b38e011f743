import { type KubeObject, objectKey } from '@hawser/client';
import type { Queue, Scope } from '@hawser/controller';
import { equal } from '@hawser/json';
import { type APIServiceExport, type BoundSchema, hawserAnnotations } from '@hawser/kube-bind';
import { namespaceWords } from './namespace-words.js';
import { type PropagationCaches, resourcesOf } from './propagation-caches.js';
import type { WaitingExports } from './waiting-exports.js';

/** Annotations of an export that say what becomes of schemas. */
const decisions = [
  hawserAnnotations.schemaProven,
  hawserAnnotations.schemaRejected,
  hawserAnnotations.schemaApproved,
  hawserAnnotations.schemaRollout,
  hawserAnnotations.schemaUpdate,
];

/** Has exports looked at when something changes that their schemas depend on. */
export function wakeExports(scope: Scope, caches: PropagationCaches, waiting: WaitingExports, queue: Queue): void {
  const wakeOthers = (object: APIServiceExport): void => {
    for (const resource of resourcesOf(object)) for (const key of waiting.of(resource)) queue.add(key);
  };
  onExports(scope, caches, queue, wakeOthers);
  scope.onChange(caches.requests, (object) => {
    queue.add(objectKey(object));
  });
  onConsumers(scope, caches, () => {
    for (const key of waiting.all()) queue.add(key);
  });
  onClusterNamespaces(scope, caches, ({ metadata }) => {
    for (const one of caches.exports.list(metadata.name)) {
      queue.add(objectKey(one), { resetBackoff: true });
      wakeOthers(one);
    }
  });
  onCRDs(scope, caches, ({ metadata }) => {
    for (const one of caches.exportsOf(metadata.name)) queue.add(objectKey(one), { resetBackoff: true });
  });
  scope.onChange(caches.boundSchemas, (object: BoundSchema) => {
    for (const one of caches.exportsWith(object)) queue.add(objectKey(one));
    for (const key of waiting.of(object.metadata.name)) queue.add(key);
  });
}

function onExports(
  scope: Scope,
  { exports }: PropagationCaches,
  queue: Queue,
  wakeOthers: (object: APIServiceExport) => void,
): void {
  scope.onChange(exports, (object) => {
    queue.add(objectKey(object), { resetBackoff: true });
  });
  scope.own(
    exports.addHandler({
      // What the provider says about one consumer can end the waiting of others.
      onUpdate: (before, after) => {
        if (sayOtherwise(decisions, before, after)) wakeOthers(after);
      },
      onDelete: wakeOthers,
    }),
  );
}

function onConsumers(scope: Scope, { clusterBindings }: PropagationCaches, changed: () => void): void {
  scope.own(
    clusterBindings.addHandler({
      onAdd: changed,
      // Labels say in which step a consumer is. Its status is a heartbeat.
      onUpdate: (before, after) => {
        if (!equal(before.metadata.labels ?? {}, after.metadata.labels ?? {})) changed();
      },
      onDelete: changed,
    }),
  );
}

function onClusterNamespaces(
  scope: Scope,
  { clusterNamespaces }: PropagationCaches,
  says: (namespace: KubeObject) => void,
): void {
  scope.own(
    clusterNamespaces.addHandler({
      onAdd: (added) => {
        if (namespaceWords.some((word) => added.metadata.annotations?.[word] !== undefined)) says(added);
      },
      onUpdate: (before, after) => {
        if (sayOtherwise(namespaceWords, before, after)) says(after);
      },
      onDelete: () => undefined,
    }),
  );
}

function onCRDs(scope: Scope, { crds }: PropagationCaches, changed: (crd: KubeObject) => void): void {
  scope.own(
    crds.addHandler({
      onAdd: changed,
      onUpdate(before, after) {
        // What its status says is of no use to consumers, but what its annotations say about steps is.
        if (
          before.metadata.generation !== after.metadata.generation ||
          before.metadata.uid !== after.metadata.uid ||
          before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
          sayOtherwise([hawserAnnotations.schemaRollout], before, after)
        )
          changed(after);
      },
      onDelete: changed,
    }),
  );
}

function sayOtherwise(annotations: readonly string[], before: KubeObject, after: KubeObject): boolean {
  return annotations.some((key) => before.metadata.annotations?.[key] !== after.metadata.annotations?.[key]);
}
