import { type Shape, entries, fields, list, plain, prose, quantity, word } from '../shape.js';
import { conditions } from './conditions.js';
import { briefMetadata, metadata } from './metadata.js';
import { acceptedNames, definition } from './schema.js';

// The fields that a bundle holds of the kinds of Kubernetes.

export const customResourceDefinition = fields({
  metadata,
  spec: fields(definition),
  status: fields({ acceptedNames, storedVersions: list(word), conditions }),
});

const about = fields({ apiVersion: word, kind: word, namespace: word, name: word, uid: word, fieldPath: word });

/** An Event of core/v1. */
export const event = fields({
  metadata: fields({ namespace: word, name: word, creationTimestamp: word }),
  involvedObject: about,
  type: word,
  reason: word,
  message: prose,
  count: plain,
  firstTimestamp: word,
  lastTimestamp: word,
  eventTime: word,
  reportingComponent: word,
  reportingInstance: word,
});

export const lease = fields({
  metadata: briefMetadata,
  spec: fields({
    holderIdentity: word,
    leaseDurationSeconds: plain,
    acquireTime: word,
    renewTime: word,
    leaseTransitions: plain,
  }),
});

export const namespace = fields({ metadata, status: fields({ phase: word, conditions }) });

export const resourceQuota = fields({
  metadata: briefMetadata,
  spec: fields({ hard: entries(quantity) }),
  status: fields({ hard: entries(quantity), used: entries(quantity) }),
});

const resourceAmounts = fields({ requests: entries(quantity), limits: entries(quantity) });

/** Only the name and source of a variable: its value may be a secret. */
const environment: Shape = list(
  fields({
    name: word,
    valueFrom: fields({
      secretKeyRef: fields({ name: word, key: word, optional: plain }),
      configMapKeyRef: fields({ name: word, key: word, optional: plain }),
      fieldRef: fields({ fieldPath: word }),
    }),
  }),
);

const containers = (argumentsOf: Shape): Shape =>
  list(
    fields({
      name: word,
      image: word,
      imagePullPolicy: word,
      command: argumentsOf,
      args: argumentsOf,
      env: environment,
      envFrom: list(fields({ secretRef: fields({ name: word }), configMapRef: fields({ name: word }) })),
      ports: list(fields({ name: word, containerPort: plain, protocol: word })),
      resources: resourceAmounts,
      volumeMounts: list(fields({ name: word, mountPath: word, readOnly: plain })),
    }),
  );

const podSpec = (argumentsOf: Shape): Shape =>
  fields({
    serviceAccountName: word,
    nodeName: word,
    hostNetwork: plain,
    priorityClassName: word,
    restartPolicy: word,
    terminationGracePeriodSeconds: plain,
    containers: containers(argumentsOf),
    initContainers: containers(argumentsOf),
    volumes: list(
      fields({
        name: word,
        configMap: fields({ name: word }),
        secret: fields({ secretName: word }),
        emptyDir: () => ({}),
      }),
    ),
  });

/** Without its message: that may be the end of the log. */
const terminated = fields({ exitCode: plain, signal: plain, reason: word, startedAt: word, finishedAt: word });
const containerState = fields({
  running: fields({ startedAt: word }),
  waiting: fields({ reason: word, message: prose }),
  terminated,
});

/** `argumentsOf`: keeps the allowed parts of a command line. */
export function deployment(argumentsOf: Shape): Shape {
  return fields({
    metadata,
    spec: fields({
      replicas: plain,
      paused: plain,
      strategy: fields({ type: word }),
      template: fields({ metadata: briefMetadata, spec: podSpec(argumentsOf) }),
    }),
    status: fields({
      observedGeneration: plain,
      replicas: plain,
      updatedReplicas: plain,
      readyReplicas: plain,
      availableReplicas: plain,
      unavailableReplicas: plain,
      conditions,
    }),
  });
}

/** `argumentsOf`: keeps the allowed parts of a command line. */
export function pod(argumentsOf: Shape): Shape {
  return fields({
    metadata: briefMetadata,
    spec: podSpec(argumentsOf),
    status: fields({
      phase: word,
      reason: word,
      message: prose,
      startTime: word,
      qosClass: word,
      conditions,
      containerStatuses: list(
        fields({
          name: word,
          image: word,
          imageID: word,
          ready: plain,
          restartCount: plain,
          state: containerState,
          lastState: containerState,
        }),
      ),
    }),
  });
}
