/** A keyword and its value, or fields by name below `properties`. */
export type Node = Readonly<Record<string, unknown>>;

const object = (properties: Node, more: Node = {}): Node => ({ type: 'object', properties, ...more });
const list = (items: Node, more: Node = {}): Node => ({ type: 'array', items, ...more });
const map = (values: Node): Node => ({ type: 'object', additionalProperties: values });
const text = (more: Node = {}): Node => ({ type: 'string', ...more });
const integer = (more: Node = {}): Node => ({ type: 'integer', ...more });
const flag: Node = { type: 'boolean' };
const amount: Node = {
  'x-kubernetes-int-or-string': true,
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern: '^[0-9.]+[a-zA-Z]*$',
};
const conditions = list(
  object(
    {
      type: text(),
      status: text({ enum: ['True', 'False', 'Unknown'] }),
      message: text({ maxLength: 32_768 }),
      lastTransitionTime: text({ format: 'date-time' }),
    },
    { required: ['type', 'status'] },
  ),
  { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
);
const kind = (
  specification: Node,
  status: Node = object({ conditions, observedGeneration: integer({ format: 'int64' }) }),
): Node => object({ apiVersion: text(), kind: text(), metadata: { type: 'object' }, spec: specification, status });

/**
 * Typical shapes of many operators' CRDs: certificates, scrape targets, database clusters, topics, routes, … in our own
 * words.
 */
export const kinds = {
  Certificate: kind(
    object(
      {
        secretName: text({ minLength: 1 }),
        dnsNames: list(text({ maxLength: 253 }), { 'x-kubernetes-list-type': 'atomic' }),
        duration: text({ format: 'duration' }),
        isAuthority: flag,
        issuer: object({ name: text(), kind: text({ default: 'Issuer' }), group: text() }, { required: ['name'] }),
        privateKey: object({
          algorithm: text({ enum: ['RSA', 'ECDSA'] }),
          size: integer({ minimum: 256, maximum: 8192 }),
          rotation: text({ enum: ['Never', 'Always'] }),
        }),
        usages: list(text({ enum: ['signing', 'client auth', 'server auth'] })),
      },
      { required: ['secretName', 'issuer'] },
    ),
  ),
  ScrapeTarget: kind(
    object(
      {
        selector: object({ matchLabels: map(text()) }, { 'x-kubernetes-map-type': 'atomic' }),
        jobLabel: text(),
        sampleLimit: integer({ format: 'int32', minimum: 0 }),
        endpoints: list(
          object({
            port: text(),
            targetPort: amount,
            path: text({ pattern: '^/' }),
            interval: text({ pattern: '^[0-9]+(ms|s|m)$', default: '30s' }),
            scheme: text({ enum: ['http', 'https'] }),
            params: map(list(text())),
          }),
          { minItems: 1 },
        ),
      },
      { required: ['selector', 'endpoints'] },
    ),
  ),
  DatabaseCluster: kind(
    object(
      {
        version: text({ enum: ['15', '16'] }),
        replicas: integer({ minimum: 1, maximum: 9, default: 1 }),
        storage: object({ size: amount, class: text() }, { required: ['size'] }),
        parameters: map(text()),
        users: list(
          object(
            { name: text({ pattern: '^[a-z_]+$' }), roles: list(text(), { 'x-kubernetes-list-type': 'set' }) },
            { required: ['name'] },
          ),
          { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], maxItems: 100 },
        ),
        backup: object(
          { schedule: text(), keep: integer({ minimum: 1 }), target: text({ format: 'uri' }) },
          { nullable: true },
        ),
        extra: object({}, { 'x-kubernetes-preserve-unknown-fields': true }),
      },
      {
        required: ['version', 'storage'],
        'x-kubernetes-validations': [
          { rule: 'self.replicas % 2 == 1', message: 'an odd number of replicas elects a leader' },
        ],
      },
    ),
  ),
  Topic: kind(
    object({
      partitions: integer({ minimum: 1 }),
      replicas: integer({ minimum: 1, maximum: 32_767 }),
      name: text({ maxLength: 249, pattern: '^[a-zA-Z0-9._-]+$' }),
      config: object({}, { 'x-kubernetes-preserve-unknown-fields': true }),
      retention: { type: 'number', minimum: 0, exclusiveMinimum: true, multipleOf: 6 },
    }),
  ),
  Route: kind(
    object(
      {
        hosts: list(text({ format: 'hostname' }), { 'x-kubernetes-list-type': 'set', maxItems: 16 }),
        priority: integer(),
        rules: list(
          object(
            {
              path: text(),
              match: text({ enum: ['Exact', 'Prefix'], default: 'Prefix' }),
              weight: integer({ minimum: 0, maximum: 100 }),
              backend: object(
                { service: text(), url: text() },
                { oneOf: [{ required: ['service'] }, { required: ['url'] }] },
              ),
            },
            { required: ['path'] },
          ),
          { maxItems: 64 },
        ),
        timeouts: object({ request: text({ format: 'duration' }), idle: text({ format: 'duration' }) }),
      },
      { required: ['hosts'] },
    ),
  ),
  BackupSchedule: kind(
    object(
      {
        cron: text({ minLength: 9 }),
        paused: flag,
        retention: object({ daily: integer({ minimum: 0 }), weekly: integer({ minimum: 0 }) }, { minProperties: 1 }),
        namespaces: list(text(), { minItems: 1, maxItems: 10 }),
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        storage: object(
          { bucket: text(), region: text() },
          { anyOf: [{ required: ['bucket'] }, { required: ['region'] }] },
        ),
      },
      { required: ['cron'] },
    ),
  ),
  Release: kind(
    object(
      {
        chart: text(),
        version: text({ pattern: '^v?[0-9]+' }),
        values: { 'x-kubernetes-preserve-unknown-fields': true },
        interval: text({ format: 'duration' }),
        retries: integer({ format: 'int64' }),
        timeoutSeconds: { type: 'number', format: 'float' },
        upgrade: object({ force: flag, crds: text({ enum: ['Skip', 'Create'] }) }),
      },
      { required: ['chart'], maxProperties: 7 },
    ),
  ),
  PeerRule: kind(
    object(
      {
        cidr: text({ format: 'cidr' }),
        ports: list(
          object(
            { port: integer({ minimum: 1, maximum: 65_535 }), protocol: text({ default: 'TCP' }) },
            { required: ['port', 'protocol'] },
          ),
          { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['port', 'protocol'] },
        ),
        order: { type: 'number' },
        action: text({ enum: ['Allow', 'Deny', 'Log'] }),
        expires: text({ format: 'date' }),
        note: text({ nullable: true }),
      },
      { 'x-kubernetes-validations': [{ rule: "self.action != 'Log' || has(self.ports)" }] },
    ),
  ),
  SecretStore: kind(
    object(
      {
        provider: object(
          {
            vault: object({
              server: text({ format: 'uri' }),
              path: text(),
              version: text({ enum: ['v1', 'v2'], default: 'v2' }),
            }),
            cloud: object({ region: text() }),
          },
          { minProperties: 1, maxProperties: 1 },
        ),
        refresh: integer({ default: 0 }),
        caBundle: text({ format: 'byte' }),
        token: text({ not: { enum: ['root'] } }),
        labels: map(text({ maxLength: 63 })),
      },
      { required: ['provider'] },
    ),
  ),
  Workload: kind(
    object(
      {
        image: text(),
        replicas: integer({ format: 'int32' }),
        strategy: text({ allOf: [{ minLength: 1 }, { maxLength: 20 }] }),
        maxUnavailable: amount,
        env: list(object({ name: text(), value: text() }, { required: ['name'] }), {
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        }),
        resources: object({ limits: map(amount), requests: map(amount) }),
        annotations: map(text()),
      },
      { required: ['image'] },
    ),
    object({ conditions, replicas: integer(), selector: text() }),
  ),
} as const satisfies Readonly<Record<string, Node>>;

export type KindName = keyof typeof kinds;
