import { describe, expect, it } from '@jest/globals';
import { type ControllerPackage, declaresControllers, problemsOf, type Surroundings } from './controllers.ts';

const readme = [
  '# @hawser/label-copy',
  'Copies.',
  '',
  '## Where it runs',
  '',
  'In the provider role, where `provider.labelCopy` is set.',
  '',
  '## Rights',
  '',
  '| group | resource | names | verbs |',
  '| --- | --- | --- | --- |',
  '| core | `configmaps`, `namespaces` | | get |',
  '| `example.com` | `things/status` | `one` | patch |',
  '',
  '## Limits',
  '',
  '- none',
  '',
].join('\n');
const complete: ControllerPackage = {
  dir: 'packages/provider/label-copy',
  readme,
  sources: new Map([
    ['src/index.ts', "export { createLabelCopy } from './label-copy.js';"],
    ['src/label-copy.ts', "export function createLabelCopy() {\n  return controller('label-copy', () => ({}));\n}"],
  ]),
};
const around: Surroundings = {
  supervisor: '[createLabelCopy()]',
  config: 'labelCopy: z.boolean()',
  running: 'labelCopy: false',
  chart:
    'resources: [configmaps, namespaces]\nverbs: [get]\n---\nresources:\n  - things/status\nresourceNames: [one]\nverbs: [get{{ if .x }}, patch{{ end }}]\n',
};

describe('a controller that is declared', () => {
  it('lacks nothing when it is wired in', () => {
    expect(declaresControllers(complete)).toBe(true);
    expect(problemsOf(complete, around)).toEqual([]);
  });

  it.each<[string, Partial<ControllerPackage>, Partial<Surroundings>, string]>([
    [
      'to be started',
      {},
      { supervisor: '// createLabelCopy' },
      'packages/provider/label-copy: no file of apps/supervisor/src starts createLabelCopy',
    ],
    [
      'its field',
      {},
      { config: '' },
      'packages/runtime/config/src: has no field labelCopy, which packages/provider/label-copy/README.md names',
    ],
    [
      'its documentation',
      {},
      { running: '' },
      'docs/reference/config.md: lacks labelCopy, which packages/provider/label-copy/README.md names',
    ],
    [
      'a right',
      {},
      { chart: 'resources: [configmaps, namespaces]\nverbs: [get]\nresources: [things/status]\nverbs: [get, list]' },
      'charts/provider/templates: no rule gives patch on things/status, as the table of rights in packages/provider/label-copy/README.md does',
    ],
    [
      'a right in its table',
      {
        sources: new Map([...complete.sources, ['src/kinds.ts', "{ group: '', version: 'v1', resource: 'secrets' }"]]),
      },
      {},
      'packages/provider/label-copy/README.md: the table of rights lacks secrets, which the sources use',
    ],
    [
      'a section',
      { readme: readme.replace('## Where it runs', '## Elsewhere') },
      {},
      'packages/provider/label-copy/README.md: lacks the section "Where it runs"',
    ],
    [
      'its rights',
      { readme: readme.replace('## Rights', '## Rules') },
      {},
      'packages/provider/label-copy/README.md: lacks the section "Rights"',
    ],
    [
      'its sentence',
      { readme: readme.replace('Copies.', 'TODO') },
      {},
      'packages/provider/label-copy/README.md: 1 TODO is left',
    ],
  ])('lacks %s', (_, part, other, problem) => {
    expect(problemsOf({ ...complete, ...part }, { ...around, ...other })).toEqual([problem]);
  });

  it('may always run', () => {
    expect(
      problemsOf(
        { ...complete, readme: readme.replace('where `provider.labelCopy` is set', 'always') },
        { ...around, config: '', running: '' },
      ),
    ).toEqual([]);
  });

  it('is none where the setup is written by hand', () => {
    expect(declaresControllers({ sources: new Map([['src/a.ts', 'return createController(name, setup);']]) })).toBe(
      false,
    );
  });
});
