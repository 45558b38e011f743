import { describe, expect, it } from '@jest/globals';
import { type Container, mergeContainer } from './overrides.js';

const container: Container = {
  name: 'konnector',
  image: 'konnector:1',
  args: ['--control-plane-mode'],
  env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
  readinessProbe: { httpGet: { path: '/healthz', port: 8080 } },
  securityContext: { allowPrivilegeEscalation: false },
};
const merged = (overrides: Record<string, unknown>): unknown => {
  const result = mergeContainer(container, overrides);
  return result.ok ? result.container : result.problem;
};

describe('mergeContainer', () => {
  it.each([
    [
      'the image, and leaves the arguments alone',
      { image: 'konnector:2' },
      { image: 'konnector:2', args: ['--control-plane-mode'] },
    ],
    ['the pull policy', { imagePullPolicy: 'Never' }, { imagePullPolicy: 'Never' }],
    ['the arguments as a whole', { args: ['--v=4'] }, { args: ['--v=4'], image: 'konnector:1' }],
    ['the command', { command: ['/konnector'] }, { command: ['/konnector'] }],
    [
      'variables, which come after those that are there',
      { env: [{ name: 'A', value: '1' }] },
      {
        env: [
          { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'A', value: '1' },
        ],
      },
    ],
    [
      'a variable that is there, as a whole',
      { env: [{ name: 'POD_NAME', value: 'x' }] },
      { env: [{ name: 'POD_NAME', value: 'x' }] },
    ],
    [
      'sources of variables',
      { envFrom: [{ configMapRef: { name: 'c' } }] },
      { envFrom: [{ configMapRef: { name: 'c' } }] },
    ],
    ['resources', { resources: { limits: { memory: '1Gi' } } }, { resources: { limits: { memory: '1Gi' } } }],
    [
      'a probe that is there, as a whole',
      { readinessProbe: { exec: { command: ['true'] } } },
      { readinessProbe: { exec: { command: ['true'] } } },
    ],
    [
      'a probe that is not',
      { livenessProbe: { httpGet: { path: '/livez', port: 1 } } },
      { livenessProbe: { httpGet: { path: '/livez', port: 1 } } },
    ],
    [
      'mounts',
      { volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }] },
      { volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }] },
    ],
    ['ports', { ports: [{ containerPort: 8080 }] }, { ports: [{ containerPort: 8080 }] }],
    [
      'parts of the security context',
      { securityContext: { runAsUser: 1 } },
      { securityContext: { allowPrivilegeEscalation: false, runAsUser: 1 } },
    ],
    ['the working directory', { workingDir: '/work' }, { workingDir: '/work' }],
  ])('overrides %s', (_, overrides, expected) => {
    expect(merged(overrides)).toEqual({ ...container, ...expected });
  });

  it.each([[{}], [{ image: '' }], [{ args: [], env: [], resources: {} }], [{ image: null }], [{ name: 'konnector' }]])(
    'changes nothing for %j',
    (overrides) => {
      expect(merged(overrides)).toEqual(container);
      expect(mergeContainer(container, undefined)).toEqual({ ok: true, container });
    },
  );

  it('replaces entries of a list that both have', () => {
    const mounted = {
      ...container,
      volumeMounts: [
        { name: 'a', mountPath: '/a' },
        { name: 'b', mountPath: '/b', readOnly: true },
      ],
    };
    expect(mergeContainer(mounted, { volumeMounts: [{ name: 'c', mountPath: '/b' }] })).toMatchObject({
      container: {
        volumeMounts: [
          { name: 'a', mountPath: '/a' },
          { name: 'c', mountPath: '/b' },
        ],
      },
    });
  });

  it.each([
    ['a field of the pod', { hostNetwork: true }, 'hostNetwork'],
    ['another name', { name: 'x' }, '"name"'],
    ['variables that are no list', { env: { A: 'b' } }, 'env'],
    ['variables without names', { env: [{ value: 'b' }] }, 'env'],
    ['resources that are none', { resources: 'much' }, 'resources'],
    ['sources that are no list', { envFrom: 'x' }, 'envFrom'],
  ])('refuses %s', (_, overrides, message) => {
    expect(merged(overrides)).toContain(message);
  });

  it('has no part in prototypes', () => {
    const overrides = JSON.parse('{"securityContext":{"__proto__":{"privileged":true}}}') as Record<string, unknown>;
    const result = merged(overrides) as { readonly securityContext: { readonly privileged?: unknown } };
    expect(result.securityContext.privileged).toBeUndefined();
  });
});
