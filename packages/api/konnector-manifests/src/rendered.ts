import type { UnstructuredObject } from '@hawser/client';

/** Generated from charts/konnector by `npm run manifests`. */
export const rendered: readonly UnstructuredObject[] = [
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {
      name: 'konnector',
      namespace: 'kube-bind',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    spec: {
      minAvailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: { app: 'konnector' } },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: {
      name: 'konnector',
      namespace: 'kube-bind',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    automountServiceAccountToken: false,
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'konnector',
      namespace: 'kube-bind',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    data: {
      'config.yaml':
        'roles: [konnector]\nlogging:\n  level: info\n  format: json\nkonnector:\n  dialect: kube-bind\n  concurrency: 24\n  heartbeatIntervalSeconds: 300\n  labelledSecrets: false\n  orphans:\n    policy: Keep\n    deletionsPerMinute: 10\n    graceSeconds: 60\n  contestedAfter: 5\n  bounds:\n    claimedObjectsPerBinding: 1000\n    namespacesPerProvider: 100\n  allowedGroups: ["*"]\n  schemaUpdate: Safe\n  migrateStoredVersions: false\n  allowConversionWebhooks: false\n  secretKubeconfigs:\n    allowInsecureSkipTlsVerify: false\n    allowProxyUrl: false\n',
    },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: 'hawser-konnector-kube-bind-bound',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'rbac.hawser.dev/aggregate-to-konnector': 'true' } }] },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: 'hawser-konnector-kube-bind',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    rules: [
      { apiGroups: ['kube-bind.io'], resources: ['apiservicebindings'], verbs: ['get', 'list', 'watch', 'patch'] },
      {
        apiGroups: ['kube-bind.io'],
        resources: ['apiservicebindings/status', 'apiservicebindingbundles/status'],
        verbs: ['patch'],
      },
      {
        apiGroups: ['kube-bind.io'],
        resources: ['apiservicebindingbundles'],
        verbs: ['get', 'list', 'watch', 'patch'],
      },
      { apiGroups: ['kube-bind.io'], resources: ['apiservicebindings'], verbs: ['create', 'delete'] },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        verbs: ['get', 'list', 'watch', 'create', 'patch'],
      },
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch', 'create'] },
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: {
      name: 'hawser-konnector-kube-bind-bound',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'hawser-konnector-kube-bind-bound' },
    subjects: [{ kind: 'ServiceAccount', name: 'konnector', namespace: 'kube-bind' }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: {
      name: 'hawser-konnector-kube-bind',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'hawser-konnector-kube-bind' },
    subjects: [{ kind: 'ServiceAccount', name: 'konnector', namespace: 'kube-bind' }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: {
      name: 'konnector-leader',
      namespace: 'kube-bind',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    rules: [
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: ['kube-bind'],
        verbs: ['get', 'update'],
      },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: {
      name: 'konnector-kubeconfigs',
      namespace: 'kube-bind',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['list', 'watch', 'create', 'patch'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: {
      name: 'konnector-leader',
      namespace: 'kube-bind',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'konnector-leader' },
    subjects: [{ kind: 'ServiceAccount', name: 'konnector', namespace: 'kube-bind' }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: {
      name: 'konnector-kubeconfigs',
      namespace: 'kube-bind',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'konnector-kubeconfigs' },
    subjects: [{ kind: 'ServiceAccount', name: 'konnector', namespace: 'kube-bind' }],
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'konnector-metrics',
      namespace: 'kube-bind',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    spec: {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: { app: 'konnector' },
      ports: [{ name: 'metrics', port: 8090, targetPort: 'health' }],
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'konnector',
      namespace: 'kube-bind',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'konnector' } },
      template: {
        metadata: {
          labels: {
            app: 'konnector',
            'app.kubernetes.io/name': 'konnector',
            'app.kubernetes.io/instance': 'konnector',
            'app.kubernetes.io/version': '0.1.0',
            'app.kubernetes.io/managed-by': 'hawser',
          },
          annotations: { 'checksum/config': '202aa3a1d75b3c55b470cd30ef70ee578bb03247050e276f0b97232cd8503f6d' },
        },
        spec: {
          serviceAccountName: 'konnector',
          automountServiceAccountToken: true,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: 20,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65532,
            runAsGroup: 65532,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: 'konnector',
              image: 'hawser:0.1.0',
              imagePullPolicy: 'IfNotPresent',
              command: ['hawser'],
              args: ['run', '--config=/etc/hawser/config.yaml'],
              env: [
                { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
              ],
              ports: [{ name: 'health', containerPort: 8090 }],
              startupProbe: { httpGet: { path: '/livez', port: 'health' }, periodSeconds: 2, failureThreshold: 30 },
              readinessProbe: { httpGet: { path: '/healthz', port: 'health' }, timeoutSeconds: 3 },
              livenessProbe: { httpGet: { path: '/livez', port: 'health' }, periodSeconds: 20, timeoutSeconds: 5 },
              resources: { limits: { memory: '512Mi' }, requests: { cpu: '50m', memory: '128Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [{ name: 'config', mountPath: '/etc/hawser', readOnly: true }],
            },
          ],
          volumes: [{ name: 'config', configMap: { name: 'konnector' } }],
          topologySpreadConstraints: [
            {
              topologyKey: 'kubernetes.io/hostname',
              maxSkew: 1,
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels: { app: 'konnector' } },
            },
            {
              topologyKey: 'topology.kubernetes.io/zone',
              maxSkew: 1,
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels: { app: 'konnector' } },
            },
          ],
        },
      },
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: {
      name: 'hawser-konnector-kube-bind',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['*'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            resources: [
              'namespaces',
              'namespaces/*',
              'secrets',
              'configmaps',
              'serviceaccounts',
              'serviceaccounts/token',
              'pods',
              'pods/*',
              'replicationcontrollers',
              'nodes',
              'nodes/*',
              'persistentvolumes',
            ],
          },
          {
            apiGroups: ['apiextensions.k8s.io'],
            apiVersions: ['*'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            resources: ['customresourcedefinitions', 'customresourcedefinitions/status'],
          },
          {
            apiGroups: ['kube-bind.io'],
            apiVersions: ['*'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            resources: ['apiservicebindings', 'apiservicebindingbundles'],
          },
          {
            apiGroups: ['apps', 'batch'],
            apiVersions: ['*'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            resources: ['*'],
          },
          {
            apiGroups: [
              'rbac.authorization.k8s.io',
              'admissionregistration.k8s.io',
              'apiregistration.k8s.io',
              'certificates.k8s.io',
            ],
            apiVersions: ['*'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            resources: ['*'],
          },
        ],
      },
      matchConditions: [
        { name: 'this-user', expression: "request.userInfo.username == 'system:serviceaccount:kube-bind:konnector'" },
      ],
      variables: [
        {
          name: 'name',
          expression:
            "object != null && has(object.metadata) && has(object.metadata.name) ? object.metadata.name : (oldObject != null ? oldObject.metadata.name : '')",
        },
        { name: 'annotations', expression: 'object == null ? {} : object.metadata.?annotations.orValue({})' },
        { name: 'oldAnnotations', expression: 'oldObject == null ? {} : oldObject.metadata.?annotations.orValue({})' },
        { name: 'labels', expression: 'object == null ? {} : object.metadata.?labels.orValue({})' },
        { name: 'oldLabels', expression: 'oldObject == null ? {} : oldObject.metadata.?labels.orValue({})' },
        {
          name: 'controlled',
          expression:
            'oldObject != null && oldObject.metadata.?ownerReferences.orValue([]).exists(one, one.?controller.orValue(false))',
        },
        {
          name: 'isCopy',
          expression:
            "('kube-bind.io/provider-uid' in variables.annotations || variables.annotations[?'kube-bind.io/resource-owner'].orValue('') == 'Provider')",
        },
        {
          name: 'wasCopy',
          expression:
            "!variables.controlled && ('kube-bind.io/provider-uid' in variables.oldAnnotations || variables.oldAnnotations[?'kube-bind.io/resource-owner'].orValue('') == 'Provider')",
        },
        { name: 'isSystem', expression: "request.namespace in ['kube-system', 'kube-public', 'kube-node-lease']" },
        {
          name: 'isKubeconfig',
          expression:
            'request.resource.resource == \'secrets\' && request.namespace in ["kube-bind"] && (oldObject == null || (object != null && !variables.controlled && variables.labels == variables.oldLabels && variables.annotations == variables.oldAnnotations))',
        },
        {
          name: 'isRecord',
          expression:
            "request.resource.resource == 'configmaps' && request.namespace == 'kube-bind' && object != null && variables.name.startsWith('hawser-orphans-')",
        },
        {
          name: 'isMarked',
          expression:
            "object != null && oldObject != null && ['data', 'binaryData', 'stringData', 'type', 'immutable', 'secrets', 'imagePullSecrets', 'automountServiceAccountToken'].all(field, object[?field] == oldObject[?field]) && variables.labels.all(key, key == 'kube-bind.io/owner' || (key in variables.oldLabels && variables.oldLabels[key] == variables.labels[key])) && variables.oldLabels.all(key, key == 'kube-bind.io/owner' || key in variables.labels) && variables.annotations.all(key, key == 'kube-bind.io/resource-owner' || key.startsWith('hawser.dev/') || (key in variables.oldAnnotations && variables.oldAnnotations[key] == variables.annotations[key])) && variables.oldAnnotations.all(key, key == 'kube-bind.io/resource-owner' || key.startsWith('hawser.dev/') || key in variables.annotations)",
        },
        {
          name: 'isOwnCRD',
          expression: "variables.name in ['apiservicebindings.kube-bind.io', 'apiservicebindingbundles.kube-bind.io']",
        },
      ],
      validations: [
        {
          expression:
            "!(request.resource.resource in ['secrets']) || ([object, oldObject].all(one, one == null || !(one.?type.orValue('Opaque') in ['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'])))",
          message: 'the konnector writes and deletes no Secret for which Kubernetes issues or takes a token',
          reason: 'Forbidden',
        },
        {
          expression:
            "!(request.resource.resource in ['serviceaccounts']) || (request.?subResource.orValue('') == '' && variables.name != 'default')",
          message: 'the konnector asks for no token, and leaves ServiceAccount default alone',
          reason: 'Forbidden',
        },
        {
          expression:
            "!(request.resource.resource in ['secrets', 'configmaps', 'serviceaccounts']) || (oldObject != null || (variables.isCopy && !variables.isSystem && (request.resource.resource == 'secrets' || request.namespace != 'kube-bind')) || variables.isKubeconfig || variables.isRecord)",
          message:
            'the konnector makes copies that say so, outside kube-system, kube-public, kube-node-lease, and kubeconfigs where bindings have them',
          reason: 'Forbidden',
        },
        {
          expression:
            "!(request.resource.resource in ['secrets', 'configmaps', 'serviceaccounts']) || (object == null || oldObject == null || variables.isMarked || variables.isKubeconfig || variables.isRecord || (!variables.isSystem && (variables.wasCopy || (variables.isCopy && !variables.controlled))))",
          message:
            'the konnector changes contents of copies and of kubeconfigs; of other objects it changes its own mark',
          reason: 'Forbidden',
        },
        {
          expression:
            "!(request.resource.resource in ['secrets', 'configmaps', 'serviceaccounts']) || (object != null || (variables.wasCopy && !variables.isSystem))",
          message: 'the konnector deletes copies, and no other object that a claim could be on',
          reason: 'Forbidden',
        },
        {
          expression:
            "!(request.resource.resource in ['secrets', 'configmaps', 'serviceaccounts']) || (object == null || oldObject == null || (object.metadata.?finalizers == oldObject.metadata.?finalizers && object.metadata.?ownerReferences == oldObject.metadata.?ownerReferences))",
          message: 'the konnector sets no finalizers and owners on what is claimed, and removes none',
          reason: 'Forbidden',
        },
        {
          expression:
            "!(request.resource.resource in ['customresourcedefinitions']) || (oldObject == null || (variables.isOwnCRD ? object != null : oldObject.metadata.?ownerReferences.orValue([]).exists(one, one.kind == 'APIServiceBinding' && one.apiVersion.startsWith('kube-bind.io/'))))",
          message: 'the konnector changes and deletes CRDs that an APIServiceBinding owns, and no others',
          reason: 'Forbidden',
        },
        {
          expression:
            "!(request.resource.resource in ['customresourcedefinitions']) || (object == null || oldObject == null || (object.metadata.?finalizers == oldObject.metadata.?finalizers && object.metadata.?ownerReferences == oldObject.metadata.?ownerReferences))",
          message: 'the konnector sets no finalizers and owners on CRDs that are there, and removes none',
          reason: 'Forbidden',
        },
        {
          expression:
            "!(request.resource.resource in ['customresourcedefinitions']) || (object == null || oldObject != null || variables.isOwnCRD || (object.metadata.?ownerReferences.orValue([]).exists(one, one.kind == 'APIServiceBinding' && one.apiVersion.startsWith('kube-bind.io/')) && object.spec.group.contains('.') && object.spec.group != 'kube-bind.io' && !['hawser.dev'].exists(one, object.spec.group == one || object.spec.group.endsWith('.' + one)) && ([\"*\"].exists(one, one.startsWith('*.') ? object.spec.group.endsWith(one.substring(1)) : one == object.spec.group && one != '*') || ('*' in [\"*\"] && !['k8s.io', 'kubernetes.io', 'kcp.io'].exists(one, object.spec.group == one || object.spec.group.endsWith('.' + one))))))",
          message: 'the konnector installs CRDs that an APIServiceBinding owns, in groups that are open to providers',
          reason: 'Forbidden',
        },
        {
          expression:
            "!(request.resource.resource in ['customresourcedefinitions']) || (object == null || false || object.spec.?conversion.?strategy.orValue('None') == 'None' || (oldObject != null && object.spec.?conversion == oldObject.spec.?conversion))",
          message: 'the konnector installs no conversion webhook, to which the API server would send objects',
          reason: 'Forbidden',
        },
        {
          expression:
            "!(request.resource.resource in ['namespaces']) || (request.?subResource.orValue('') == '' && oldObject == null && variables.labels[?'kube-bind.io/owner'].orValue('') == 'provider' && variables.name != 'default' && !variables.name.startsWith('kube-'))",
          message: 'the konnector makes namespaces for providers, which say so, and changes and deletes none',
          reason: 'Forbidden',
        },
        {
          expression:
            "!(request.resource.resource in ['apiservicebindings', 'apiservicebindingbundles']) || (object != null && oldObject != null ? object.?spec == oldObject.?spec && object.metadata.?ownerReferences == oldObject.metadata.?ownerReferences : [object, oldObject].all(one, one == null || one.metadata.?ownerReferences.orValue([]).exists(one, one.kind == 'APIServiceBindingBundle' && one.apiVersion.startsWith('kube-bind.io/'))))",
          message: 'the konnector makes and deletes bindings of bundles, and changes no spec',
          reason: 'Forbidden',
        },
        {
          expression:
            "request.resource.group in ['apiextensions.k8s.io', 'kube-bind.io'] || request.resource.resource in ['secrets', 'configmaps', 'serviceaccounts', 'namespaces']",
          message:
            'the konnector runs no code, gives no rights and changes nothing of the API server, whatever it was granted',
          reason: 'Forbidden',
        },
      ],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: {
      name: 'hawser-konnector-kube-bind',
      labels: {
        app: 'konnector',
        'app.kubernetes.io/name': 'konnector',
        'app.kubernetes.io/instance': 'konnector',
        'app.kubernetes.io/version': '0.1.0',
        'app.kubernetes.io/managed-by': 'hawser',
      },
    },
    spec: { policyName: 'hawser-konnector-kube-bind', validationActions: ['Deny'] },
  },
];
