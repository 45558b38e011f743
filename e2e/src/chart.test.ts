import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@hawser/client';
import { renderChart } from './chart.js';
import { findHelm } from './helm.js';
import { root } from './root.js';

const chart = join(root, 'charts/konnector');
const templates = ['serviceaccount.yaml', 'clusterrole.yaml', 'role.yaml'];
const values = {
  boundResources: [
    { group: 'example.com', resources: ['databases', 'zones'] },
    { group: 'other.example.com', resources: ['volumes'] },
  ],
  secrets: { namespaces: ['team-a'], readEverywhere: true },
};

describe('the rights of the konnector chart', () => {
  const objects = renderChart(chart, templates, { name: 'konnector', namespace: 'kube-bind', values });
  const find = (kind: string, name: string): unknown =>
    objects.find((object) => object.kind === kind && object.metadata.name === name);

  it('are those of the bound resources, and Secrets where they may be', () => {
    expect(find('ClusterRole', 'hawser-konnector-kube-bind')).toMatchObject({
      metadata: { labels: { app: 'konnector', 'app.kubernetes.io/managed-by': 'Helm' } },
      rules: expect.arrayContaining([
        { apiGroups: [''], resources: ['secrets'], verbs: ['list', 'watch'] },
        { apiGroups: ['example.com'], resources: ['databases', 'zones'], verbs: ['get', 'list', 'watch', 'patch'] },
        { apiGroups: ['example.com'], resources: ['databases/status', 'zones/status'], verbs: ['update'] },
        { apiGroups: ['other.example.com'], resources: ['volumes/status'], verbs: ['update'] },
      ]),
    });
    expect(
      objects
        .filter(({ kind, metadata }) => kind === 'Role' && metadata.name === 'konnector-kubeconfigs')
        .map(({ metadata }) => metadata.namespace),
    ).toEqual(['kube-bind', 'team-a']);
    expect(find('ServiceAccount', 'konnector')).toMatchObject({ metadata: { namespace: 'kube-bind' } });
  });

  it('are what Helm makes of them, where there is Helm', async () => {
    const found = await findHelm({ quick: true });
    if ('missing' in found) return;
    const names = new Set(objects.map(id));
    const helm = await found.helm.template({ chart: 'konnector', name: 'konnector', namespace: 'kube-bind' }, values);
    // Helm sorts them by kind, and makes the other objects of the chart too.
    expect(byName(objects)).toEqual(byName(helm.filter((object) => names.has(id(object)))));
  });
});

function id({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}

function byName(objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.toSorted((one, other) => id(one).localeCompare(id(other)));
}

describe('a template', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hawser-chart-'));
    mkdirSync(join(folder, 'templates'));
    writeFileSync(join(folder, 'Chart.yaml'), 'name: small\nappVersion: 1.2.3\n');
    writeFileSync(join(folder, 'values.yaml'), 'on: false\nlist: []\nname: given\n');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const render = (text: string): unknown => {
    writeFileSync(join(folder, 'templates/one.yaml'), text);
    return renderChart(folder, ['one.yaml'], { name: 'r', namespace: 'ns', values: {} });
  };

  it('may have what is known', () => {
    expect(
      render(
        'a: {{ .Values.name | quote }}\n{{- if .Values.on }}\nb: 1\n{{- else }}\nb: 2\n{{- end }}\nc:\n  {{- range prepend .Values.list "x" | uniq }}\n  - {{ printf "%s/%s" . $.Release.Namespace }}\n  {{- end }}\n{{- /* a comment */}}\n',
      ),
    ).toEqual([{ a: 'given', b: 2, c: ['x/ns'] }]);
  });

  it.each([
    ['{{ with .Values }}a: 1{{ end }}', 'with .Values'],
    ['a: {{ lookup "v1" "Pod" "a" "b" }}', 'function lookup'],
    ['a: {{ .Values.name | upper }}', 'function upper'],
    ['a: {{ .Values.nmae }}', 'there is no nmae'],
    ['{{ $x := .Values.name }}a: {{ $x }}', ':='],
    ['a: {{ (index .Values.list 0) }}', '(index'],
    ['a: {{ include "nothing" . }}', 'no template is called nothing'],
    ['a: {{ .Values.list }}', 'cannot be printed'],
  ])('that has anything else is refused: %s', (text, words) => {
    expect(() => render(text)).toThrow(words);
  });
});
